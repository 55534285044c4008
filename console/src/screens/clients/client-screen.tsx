import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api/call';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import { Facts } from '../../components/facts';
import { Keys } from '../../components/keys';
import { Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { Deliveries } from './deliveries';
import { EditClient } from './edit-client';
import { Endpoints } from './endpoints';
import { ClientHealth } from './health';
import type { Client } from './queries';

const route = getRouteApi('/clients/$clientId');
const t = texts.clients.settings;
const { none } = texts.common;
/** Days for which the keys of a client may overlap. */
const OVERLAP_DAYS = [0, 1, 7, 30];

export function ClientScreen() {
  const { clientId } = route.useParams();
  const query = useQuery(read('getConnector', { params: { connectorId: clientId } }));
  const mayEdit = useMay('admin');
  return (
    <Screen
      title={query.data?.name ?? clientId}
      actions={query.data !== undefined && mayEdit ? <EditClient client={query.data} /> : null}
    >
      <Loaded query={query}>
        {(client) => (
          <>
            <Settings client={client} />
            <ClientHealth clientId={client.id} />
            <ClientKeys connectorId={client.id} keys={query} />
            <Endpoints clientId={client.id} />
            <Deliveries clientId={client.id} />
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Settings({ client }: { readonly client: Client }) {
  const { billingEntity: billing, returnAddress: back } = client;
  return (
    <Section title={t.title}>
      <Facts
        facts={[
          [t.channel, client.channel ?? t.channelDefault],
          [t.ioss, client.iossNumber ?? none],
          [t.packaging, client.brandedPackaging ?? none],
          [t.billing, billing?.companyName ?? none],
          [
            t.returnAddress,
            back === null
              ? none
              : [back.addressLine1, `${back.postCode} ${back.city}`, back.country].join(', '),
          ],
          [t.submit, client.submitOrderUrl],
          [t.created, <Time key="created" at={client.createdAt} />],
        ]}
      />
    </Section>
  );
}

function ClientKeys(props: {
  readonly connectorId: string;
  readonly keys: Parameters<typeof Keys>[0]['query'];
}) {
  const { connectorId, keys } = props;
  return (
    <Keys
      query={keys}
      overlapDays={OVERLAP_DAYS}
      withSecret
      issue={(body, idempotencyKey) =>
        call('rotateConnectorKey', { params: { connectorId }, body }, { idempotencyKey })
      }
      revoke={(keyId, idempotencyKey) =>
        call('revokeConnectorKey', { params: { connectorId, keyId } }, { idempotencyKey })
      }
    />
  );
}
