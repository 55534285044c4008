import { SimpleGrid, TextInput } from '@mantine/core';
import type { ApiResponse, Input } from '../../api/types';
import { LongTextField, TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import { type Marks, ObjectFields, type ObjectForm, objectOf } from '../../components/forms/object-fields';
import { RowFields } from '../../components/forms/row-fields';
import { choiceOf, optionsOf, Select } from '../../components/forms/select';
import { Section } from '../../components/layout/section';
import { Badge } from '../../components/values/badge';
import * as texts from '../../texts';

export type Channel = ApiResponse<'getChannel'>;

const t = texts.channels.settings;
const PRESETS = optionsOf(texts.channels.presets);
const DECIMALS = optionsOf(t.decimals);

/** Fields that are often set. The API takes others too. */
const FIELDS = [
  ...Object.keys(texts.order.address.fields).map((name) => `shippingAddress.${name}`),
  ...['orderReferenceId', 'currency', 'shipmentMethodUid', 'items.sku', 'items.quantity', 'items.retailUnitPrice'],
  'items.files.default',
];
const FIELD_LIST = 'channel-fields';

type Server = NonNullable<NonNullable<Input<'changeChannel'>['body']>['sftp']>;
const SFTP: ObjectForm<Omit<Server, 'privateKey'>> = {
  labels: texts.channels.sftp.fields,
  rules: { port: { type: 'number' }, password: { type: 'password' } },
};
/** A new channel without a server is one of files. */
const MARKED = { host: { required: true }, username: { required: true } } satisfies Marks<Omit<Server, 'privateKey'>>;
const SFTP_OF_CHANNEL = { ...SFTP, rules: { ...SFTP.rules, ...MARKED } };

/** Returns what two columns of rows hold, by the first of them. */
const recordOf = (form: FormData, name: string): Record<string, string> =>
  Object.fromEntries(form.getAll(`${name}.field`).map((field, index) => [field, form.getAll(`${name}.value`)[index]]));

/** Returns the name and the settings that the fields hold. The API checks them. */
export function channelOf(form: FormData) {
  const settings: NonNullable<Input<'changeChannel'>['body']>['settings'] = {
    preset: choiceOf(form, 'settings.preset', PRESETS) ?? 'pressline',
    decimal: choiceOf(form, 'settings.decimal', DECIMALS) ?? null,
    defaults: recordOf(form, 'settings.defaults'),
    columns: Object.fromEntries(
      Object.entries(recordOf(form, 'settings.columns')).map(([field, column]) => [field, column.trim() || null]),
    ),
  };
  const sftp = objectOf(form, 'sftp', SFTP);
  const privateKey = textOf(form, 'sftp.privateKey');
  return { name: textOf(form, 'name') ?? '', settings, ...(sftp === null ? {} : { sftp: { ...sftp, privateKey } }) };
}

/** The fields of a channel. Null: of a new one. */
export function ChannelFields({ channel }: { readonly channel: Channel | null }) {
  const { preset, decimal, defaults = {}, columns = {} } = channel?.settings ?? {};
  return (
    <>
      <TextField name="name" label={t.name} required maxLength={100} defaultValue={channel?.name} data-autofocus />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select name="settings.preset" label={t.preset} options={PRESETS} value={preset} />
        <Select
          name="settings.decimal"
          label={t.decimal}
          none={t.decimalDefault}
          options={DECIMALS}
          value={decimal ?? undefined}
        />
      </SimpleGrid>
      {channel?.kind === 'csv' ? null : (
        <>
          <ObjectFields
            name="sftp"
            legend={texts.channels.sftp.legend}
            form={channel === null ? SFTP : SFTP_OF_CHANNEL}
            value={channel?.sftp ?? null}
          />
          <LongTextField name="sftp.privateKey" label={texts.channels.sftp.privateKey} />
        </>
      )}
      <datalist id={FIELD_LIST}>
        {FIELDS.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      <Pairs name="settings.defaults" label={t.defaults} add={t.defaultsAdd} none={t.defaultsNone} of={defaults} />
      <Pairs name="settings.columns" label={t.columns} add={t.columnsAdd} none={t.columnsNone} of={columns} />
    </>
  );
}

function Pairs(props: {
  readonly name: string;
  readonly label: string;
  readonly add: string;
  readonly none: string;
  readonly of: Readonly<Record<string, string | null>>;
}) {
  const { name, label, add, none } = props;
  const field = (member: 'field' | 'value') => (value: string, of: string) => (
    <TextInput
      name={`${name}.${member}`}
      aria-label={of}
      required={member === 'field'}
      defaultValue={value}
      {...(member === 'field' ? { list: FIELD_LIST } : {})}
    />
  );
  return (
    <Section title={label}>
      <RowFields
        name={name}
        label={label}
        columns={[
          { header: t.field, field: field('field') },
          { header: name.endsWith('columns') ? t.column : t.value, field: field('value') },
        ]}
        rows={Object.entries(props.of).map(([key, value]) => [key, value ?? ''])}
        added={['', '']}
        add={add}
        none={none}
      />
    </Section>
  );
}

/** The state of a channel: failed after a failed run. */
export function ChannelState({ of: { state, lastError } }: { readonly of: Channel }) {
  if (state === 'paused') return <Badge tone="warning">{texts.channels.states.paused}</Badge>;
  return lastError === null ? (
    <Badge tone="success">{texts.channels.states.active}</Badge>
  ) : (
    <Badge tone="danger">{texts.channels.failed}</Badge>
  );
}
