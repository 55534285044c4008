import { Checkbox, Fieldset, Group, SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { FaultsOf, LongTextField, TextField } from '../../components/forms/field-faults';
import { textOf, wordsOf } from '../../components/forms/form-values';
import { type Marks, ObjectFields, type ObjectForm, objectOf } from '../../components/forms/object-fields';
import * as texts from '../../texts';
import { ModelFields, modelsOf } from './model-fields';
import type { Partner } from './queries';

type Capabilities = Partner['capabilities'];

/** What the form of a partner shows and sets. */
export type PartnerDetails = Pick<Partner, 'name' | 'enabled' | 'printHouseUid' | 'senderAddress' | 'capabilities'>;

const t = texts.partners.edit;
const KINDS: readonly Capabilities['productKinds'][number][] = ['print', 'apparel', 'mounted'];

type TaxIds = NonNullable<Partner['senderAddress']['taxIds']>;
type Sender = Omit<Partner['senderAddress'], 'taxIds'>;

const SENDER: ObjectForm<Sender> = {
  labels: t.sender,
  rules: {
    firstName: { required: true },
    lastName: { required: true },
    company: { required: true },
    addressLine1: { required: true },
    postcode: { required: true },
    city: { required: true },
    country: { required: true },
    email: { required: true, type: 'email' },
  } satisfies Marks<Sender>,
};
const TAX_IDS: ObjectForm<TaxIds> = { labels: t.taxIds, rules: {} };

/** Returns the details that the fields of the form hold. The API checks them. */
export function detailsOf(form: FormData, currency: string): PartnerDetails {
  const state = textOf(form, 'capabilities.calendar.holidays.state');
  const taxIds = objectOf(form, 'senderAddress.taxIds', TAX_IDS);
  const details = {
    name: textOf(form, 'name') ?? '',
    enabled: form.has('enabled'),
    printHouseUid: textOf(form, 'printHouseUid'),
    senderAddress: {
      ...objectOf(form, 'senderAddress', SENDER),
      ...(taxIds === null ? {} : { taxIds }),
    },
    capabilities: {
      productKinds: form.getAll('capabilities.productKinds'),
      countriesServed: wordsOf(textOf(form, 'capabilities.countriesServed')).map((country) => country.toUpperCase()),
      capacityPerDay: Number(textOf(form, 'capabilities.capacityPerDay')),
      models: modelsOf(form, currency),
      calendar: {
        timeZone: textOf(form, 'capabilities.calendar.timeZone') ?? '',
        workingDays: form.getAll('capabilities.calendar.workingDays').map(Number),
        cutOff: textOf(form, 'capabilities.calendar.cutOff') ?? '',
        holidays: {
          country: (textOf(form, 'capabilities.calendar.holidays.country') ?? '').toUpperCase(),
          ...(state === null ? {} : { state }),
        },
        closedDates: wordsOf(textOf(form, 'capabilities.calendar.closedDates')),
      },
    },
  };
  return details as PartnerDetails;
}

/** The fields of a partner's details. */
export function PartnerFields({
  details,
  currency,
  first,
}: {
  readonly details: PartnerDetails;
  /** Of the prices. Empty when the form sets it. */
  readonly currency: string;
  /** Above the others. */
  readonly first?: ReactNode;
}) {
  const { capabilities, senderAddress } = details;
  const { calendar } = capabilities;
  const f = t.fields;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {first}
        <TextField name="name" label={f.name} required maxLength={100} defaultValue={details.name} />
        <TextField
          name="printHouseUid"
          label={f.printHouseUid}
          maxLength={100}
          defaultValue={details.printHouseUid ?? ''}
        />
        <TextField
          name="capabilities.capacityPerDay"
          label={f.capacity}
          type="number"
          min={1}
          required
          defaultValue={capabilities.capacityPerDay}
        />
        <TextField
          name="capabilities.countriesServed"
          label={f.countries}
          defaultValue={capabilities.countriesServed.join(', ')}
        />
        <TextField name="capabilities.calendar.timeZone" label={f.timeZone} required defaultValue={calendar.timeZone} />
        <TextField
          name="capabilities.calendar.cutOff"
          label={f.cutOff}
          type="time"
          required
          defaultValue={calendar.cutOff}
        />
        <TextField
          name="capabilities.calendar.holidays.country"
          label={f.holidayCountry}
          required
          maxLength={2}
          defaultValue={calendar.holidays.country}
        />
        <TextField
          name="capabilities.calendar.holidays.state"
          label={f.holidayState}
          maxLength={10}
          defaultValue={calendar.holidays.state ?? ''}
        />
      </SimpleGrid>
      <Checkbox name="enabled" label={f.enabled} defaultChecked={details.enabled} />
      <Choices
        name="capabilities.productKinds"
        legend={f.kinds}
        chosen={capabilities.productKinds}
        of={KINDS.map((kind) => [kind, texts.names.code(kind)])}
      />
      <Choices
        name="capabilities.calendar.workingDays"
        legend={f.workingDays}
        chosen={calendar.workingDays.map(String)}
        of={texts.partners.calendar.weekdays.map((day, index) => [String(index + 1), day])}
      />
      <LongTextField
        name="capabilities.calendar.closedDates"
        label={f.closedDates}
        autosize
        minRows={1}
        maxRows={6}
        defaultValue={calendar.closedDates?.join('\n')}
      />
      <ModelFields models={capabilities.models} currency={currency} />
      <ObjectFields name="senderAddress" legend={f.senderAddress} form={SENDER} value={senderAddress} />
      <ObjectFields name="senderAddress.taxIds" legend={f.taxIds} form={TAX_IDS} value={senderAddress.taxIds ?? null} />
    </>
  );
}

function Choices(props: {
  readonly name: string;
  readonly legend: string;
  readonly chosen: readonly string[];
  readonly of: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <Fieldset legend={props.legend}>
      <Group gap="md">
        {props.of.map(([value, label]) => (
          <Checkbox
            key={value}
            name={props.name}
            value={value}
            label={label}
            defaultChecked={props.chosen.includes(value)}
          />
        ))}
      </Group>
      <FaultsOf name={props.name} />
    </Fieldset>
  );
}
