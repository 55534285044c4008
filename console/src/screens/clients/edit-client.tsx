import { change } from '../../api/changes';
import { DialogButton } from '../../components/forms/dialog-button';
import * as texts from '../../texts';
import { ClientFields, settingsOf } from './client-fields';
import type { Client } from './queries';

const t = texts.clients.edit;

/** The button that opens the settings of a client for editing. */
export function EditClient({ client }: { readonly client: Client }) {
  return (
    <DialogButton
      name={t.name}
      explanation={t.explanation}
      button={t.button}
      dialogSize="xl"
      fields={<ClientFields client={client} />}
      changeOf={({ form }) => change('changeClient', { params: { connectorId: client.id }, body: settingsOf(form) })}
    />
  );
}
