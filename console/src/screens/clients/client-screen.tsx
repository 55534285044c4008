import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import { Keys } from '../../components/accounts/keys';
import { DescriptionList } from '../../components/layout/description-list';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import { Section } from '../../components/layout/section';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { Channels } from './channels';
import { Deliveries } from './deliveries';
import { EditClient } from './edit-client';
import { Endpoints } from './endpoints';
import { FileFaults } from './file-faults';
import { ClientHealth } from './health';
import type { Client } from './queries';
import { ClientQuotas } from './quotas';

const route = getRouteApi('/clients/$clientId');
const t = texts.clients.settings;
const { none } = texts.common;
/** Days for which the keys of a client may overlap. */
const OVERLAP_DAYS = [0, 1, 7, 30];

export function ClientScreen() {
  const { clientId } = route.useParams();
  const query = useQuery(read('getClient', { params: { connectorId: clientId } }));
  const mayEdit = useMay('admin');
  return (
    <Screen
      title={query.data?.name ?? clientId}
      actions={query.data !== undefined && mayEdit ? <EditClient client={query.data} /> : null}
    >
      <QueryContent query={query}>
        {(client) => (
          <>
            <Settings client={client} />
            <ClientHealth clientId={client.id} />
            <Channels clientId={client.id} />
            <FileFaults clientId={client.id} />
            <ClientQuotas clientId={client.id} />
            <ClientKeys connectorId={client.id} keys={query} />
            <Endpoints clientId={client.id} />
            <Deliveries clientId={client.id} />
          </>
        )}
      </QueryContent>
    </Screen>
  );
}

const actionOf = (action: keyof typeof t.checkActions | undefined) =>
  action === undefined ? t.checksDefault : t.checkActions[action];

function Settings({ client }: { readonly client: Client }) {
  const { billingEntity: billing, returnAddress: back } = client;
  return (
    <Section title={t.title}>
      <DescriptionList
        entries={[
          [t.channel, client.channel ?? t.channelDefault],
          [t.ioss, client.iossNumber ?? none],
          [t.packaging, client.brandedPackaging ?? none],
          [t.fileErrors, actionOf(client.fileChecks?.errors)],
          [t.fileWarnings, actionOf(client.fileChecks?.warnings)],
          [t.addressErrors, actionOf(client.addressChecks?.errors)],
          [t.addressWarnings, actionOf(client.addressChecks?.warnings)],
          [t.billing, billing?.companyName ?? none],
          [texts.clients.edit.eInvoice, client.eInvoice?.electronicAddress ?? none],
          [
            t.returnAddress,
            back === null ? none : [back.addressLine1, `${back.postCode} ${back.city}`, back.country].join(', '),
          ],
          [t.submit, client.submitOrderUrl],
          [t.created, <Time key="created" at={client.createdAt} />],
        ]}
      />
    </Section>
  );
}

function ClientKeys(props: { readonly connectorId: string; readonly keys: Parameters<typeof Keys>[0]['query'] }) {
  const { connectorId, keys } = props;
  return (
    <Keys
      query={keys}
      overlapDays={OVERLAP_DAYS}
      withSecret
      add={(body) => change('rotateClientKey', { params: { connectorId }, body })}
      uses={(keyId) => read('getClientKeyUses', { params: { connectorId, keyId } })}
      disableEndpoints={(keyId) => change('disableClientKeyEndpoints', { params: { connectorId, keyId }, body: {} })}
      revoke={(keyId) => change('revokeClientKey', { params: { connectorId, keyId } })}
    />
  );
}
