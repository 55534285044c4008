import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../components/badge';
import { Facts } from '../../components/facts';
import { Link } from '../../components/link';
import { Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Age } from '../../components/time';
import { texts } from '../../texts';
import { clientHealth } from './queries';

const t = texts.clients.health;
const age = (at: string | null) => (at === null ? t.never : <Age at={at} />);

/** Figures of a client's latest orders, each a link to its list. */
export function ClientHealth({ clientId }: { readonly clientId: string }) {
  const query = useQuery(clientHealth(clientId));
  return (
    <Section title={t.title}>
      <Loaded query={query} lines={2}>
        {({ orders, needAttention, byStatus, oldestAt, newestAt }) => (
          <Facts
            facts={[
              [
                t.orders,
                <Link key="orders" to="/orders" search={{ clientId }}>
                  {orders}
                </Link>,
              ],
              [t.since, age(oldestAt)],
              [t.newest, age(newestAt)],
              [
                t.attention,
                <Link key="attention" to="/orders" search={{ clientId, attention: 'any' }}>
                  {needAttention}
                </Link>,
              ],
              [
                t.statuses,
                byStatus.length === 0 ? (
                  t.none
                ) : (
                  <Group key="statuses" gap={6}>
                    {byStatus.map(({ status, orders: count }) => {
                      const { text, tone } = texts.names.status(status);
                      return (
                        <Link key={status} to="/orders" search={{ clientId, status }}>
                          <Badge tone={tone}>{t.status(text, count)}</Badge>
                        </Link>
                      );
                    })}
                  </Group>
                ),
              ],
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
