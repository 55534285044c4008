import { SimpleGrid } from '@mantine/core';
import type { Input } from '../../api/types';
import { TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import { ObjectFields, type ObjectForm, objectOf } from '../../components/forms/object-fields';
import { choiceOf, optionsOf, Select } from '../../components/forms/select';
import * as texts from '../../texts';
import type { Client } from './queries';

type Change = NonNullable<Input<'changeClient'>['body']>;

const t = texts.clients.edit;
const { settings, quotas } = texts.clients;

const BILLING: ObjectForm<NonNullable<Change['billingEntity']>> = {
  labels: t.billingFields,
  rules: {
    id: { type: 'number' },
    status: { type: 'number' },
    companyVatNumbers: { type: 'words' },
    email: { type: 'email' },
  },
};
const RETURN_ADDRESS: ObjectForm<NonNullable<Change['returnAddress']>> = {
  labels: t.returnAddressFields,
  rules: { email: { type: 'email' } },
};

const E_INVOICE: ObjectForm<NonNullable<Change['eInvoice']>> = { labels: t.eInvoiceFields, rules: {} };

const QUOTAS: ObjectForm<NonNullable<Change['quotas']>> = {
  labels: quotas.names,
  rules: Object.fromEntries(Object.keys(quotas.names).map((name) => [name, { type: 'number' }])),
};

const ACTIONS = optionsOf(settings.checkActions);

/** The settings that say what findings do, with the labels of their fields. */
const CHECKS = [
  ['fileChecks', 'errors', settings.fileErrors],
  ['fileChecks', 'warnings', settings.fileWarnings],
  ['addressChecks', 'errors', settings.addressErrors],
  ['addressChecks', 'warnings', settings.addressWarnings],
] as const;

/** Returns the rule of the form for findings. Null: the default. */
function checksOf(form: FormData, name: 'fileChecks' | 'addressChecks'): Change['fileChecks'] {
  const errors = choiceOf(form, `${name}.errors`, ACTIONS);
  const warnings = choiceOf(form, `${name}.warnings`, ACTIONS);
  return errors === undefined && warnings === undefined
    ? null
    : { errors: errors ?? 'hold', warnings: warnings ?? 'warn' };
}

/** Returns the settings that the fields hold. An empty field is no setting. The API checks them. */
export const settingsOf = (form: FormData) => ({
  channel: textOf(form, 'channel'),
  iossNumber: textOf(form, 'iossNumber'),
  brandedPackaging: textOf(form, 'brandedPackaging'),
  billingEntity: objectOf(form, 'billingEntity', BILLING),
  eInvoice: objectOf(form, 'eInvoice', E_INVOICE),
  returnAddress: objectOf(form, 'returnAddress', RETURN_ADDRESS),
  fileChecks: checksOf(form, 'fileChecks'),
  addressChecks: checksOf(form, 'addressChecks'),
  quotas: objectOf(form, 'quotas', QUOTAS),
});

/** The fields of a client's settings. Null: of a new client. */
export function ClientFields({ client }: { readonly client: Client | null }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextField name="channel" label={settings.channel} maxLength={50} defaultValue={client?.channel ?? ''} />
        <TextField
          name="iossNumber"
          label={settings.ioss}
          placeholder="IM0123456789"
          defaultValue={client?.iossNumber ?? ''}
        />
        <TextField
          name="brandedPackaging"
          label={settings.packaging}
          maxLength={100}
          defaultValue={client?.brandedPackaging ?? ''}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {CHECKS.map(([name, severity, label]) => (
          <Select
            key={label}
            name={`${name}.${severity}`}
            label={label}
            none={settings.checksDefault}
            options={ACTIONS}
            value={client?.[name]?.[severity]}
          />
        ))}
      </SimpleGrid>
      <ObjectFields name="billingEntity" legend={t.billing} form={BILLING} value={client?.billingEntity ?? null} />
      <ObjectFields name="eInvoice" legend={t.eInvoice} form={E_INVOICE} value={client?.eInvoice ?? null} />
      <ObjectFields
        name="returnAddress"
        legend={t.returnAddress}
        form={RETURN_ADDRESS}
        value={client?.returnAddress ?? null}
      />
      <ObjectFields name="quotas" legend={quotas.edit} form={QUOTAS} value={client?.quotas ?? null} />
    </>
  );
}
