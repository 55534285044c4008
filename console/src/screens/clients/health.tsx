import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DescriptionList } from '../../components/layout/description-list';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { clientHealth } from './queries';

const t = texts.clients.health;
const age = (at: string | null) => (at === null ? t.never : <Age at={at} />);

/** Figures of a client's latest orders, each a link to its list. */
export function ClientHealth({ clientId }: { readonly clientId: string }) {
  const query = useQuery(clientHealth(clientId));
  return (
    <Section title={t.title}>
      <QueryContent query={query} lines={2}>
        {({ orders, needAttention, byStatus, oldestAt, newestAt }) => (
          <DescriptionList
            entries={[
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
      </QueryContent>
    </Section>
  );
}
