import { Stack, Text } from '@mantine/core';
import { change } from '../../api/changes';
import { Secrets } from '../../components/accounts/secrets';
import { DialogButton } from '../../components/forms/dialog-button';
import { TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import { Link } from '../../components/values/link';
import * as texts from '../../texts';
import { detailsOf, type PartnerDetails, PartnerFields } from './partner-fields';
import { RegisterAddresses } from './register-addresses';

const t = texts.partners.add;

/** What the form holds at first. */
const newDetails = (): PartnerDetails => ({
  name: '',
  enabled: true,
  printHouseUid: null,
  senderAddress: {
    firstName: '',
    lastName: '',
    company: '',
    addressLine1: '',
    city: '',
    postcode: '',
    country: '',
    email: '',
  },
  capabilities: {
    productKinds: ['print'],
    countriesServed: ['*'],
    capacityPerDay: 100,
    models: {},
    calendar: {
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      workingDays: [1, 2, 3, 4, 5],
      cutOff: '12:00',
      holidays: { country: '' },
    },
  },
});

/** The button that opens the form of a new partner. Its key is shown once. */
export function AddPartner() {
  return (
    <DialogButton
      name={t.name}
      explanation={t.explanation}
      button={t.name}
      dialogSize="xl"
      fields={
        <PartnerFields
          details={newDetails()}
          currency=""
          first={
            <>
              <TextField name="uid" label={t.uid} description={t.uidHelp} required maxLength={63} data-autofocus />
              <TextField name="currency" label={t.currency} description={t.currencyHelp} required maxLength={3} />
            </>
          }
        />
      }
      changeOf={({ form }) => {
        const currency = (textOf(form, 'currency') ?? '').toUpperCase();
        return change('createPartner', {
          body: { uid: textOf(form, 'uid') ?? '', currency, ...detailsOf(form, currency) },
        });
      }}
      keepsResult
      result={({ id, uid, apiKey }) => (
        <Stack>
          <Secrets secrets={[[texts.keys.key, apiKey]]} />
          <Text size="sm">{t.next}</Text>
          <RegisterAddresses partnerId={id} subscription={null} />
          <Link to="/partners/$partnerId" params={{ partnerId: id }}>
            {t.open(uid)}
          </Link>
        </Stack>
      )}
    />
  );
}
