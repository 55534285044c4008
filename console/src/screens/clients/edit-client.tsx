import { JsonInput, TextInput } from '@mantine/core';
import { call, type Input } from '../../api/call';
import { Act } from '../../components/act';
import { jsonOf, textOf } from '../../components/form-fields';
import { texts } from '../../texts';
import type { Client } from './queries';

type Change = Input<'changeConnector'>['body'];

const t = texts.clients.edit;
const { settings } = texts.clients;

const jsonText = (value: object | null): string => (value === null ? '' : JSON.stringify(value, null, 2));

/** Returns a return address without the id that the API gave it. */
function withoutId(address: Client['returnAddress']): object | null {
  if (address === null) return null;
  const { id: _id, ...fields } = address;
  return fields;
}

/** The button that opens the settings of a client for editing. */
export function EditClient({ client }: { readonly client: Client }) {
  return (
    <Act
      name={t.name}
      explanation={t.explanation}
      button={t.button}
      dialogSize="lg"
      fields={
        <>
          <TextInput
            name="channel"
            label={settings.channel}
            maxLength={50}
            defaultValue={client.channel ?? ''}
            data-autofocus
          />
          <TextInput
            name="ioss"
            label={settings.ioss}
            placeholder="IM0123456789"
            defaultValue={client.iossNumber ?? ''}
          />
          <TextInput
            name="packaging"
            label={settings.packaging}
            maxLength={100}
            defaultValue={client.brandedPackaging ?? ''}
          />
          <JsonInput
            name="billing"
            label={t.billing}
            autosize
            minRows={2}
            maxRows={10}
            defaultValue={jsonText(client.billingEntity)}
          />
          <JsonInput
            name="returnAddress"
            label={t.returnAddress}
            autosize
            minRows={2}
            maxRows={10}
            defaultValue={jsonText(withoutId(client.returnAddress))}
          />
        </>
      }
      run={({ form, idempotencyKey }) => {
        const change = {
          channel: textOf(form, 'channel'),
          iossNumber: textOf(form, 'ioss'),
          brandedPackaging: textOf(form, 'packaging'),
          billingEntity: jsonOf(form, 'billing', t.billing),
          returnAddress: jsonOf(form, 'returnAddress', t.returnAddress),
        };
        return call(
          'changeConnector',
          { params: { connectorId: client.id }, body: change as Change },
          { idempotencyKey },
        );
      }}
    />
  );
}
