import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { StatusBadge } from '../../components/values/badge';
import { calendarDay } from '../../components/values/days';
import { Findings } from '../../components/values/findings';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { OrderStatus } from '../../texts/names';
import styles from './delivery.module.css';
import type { OperatorOrder } from './types';

type Retrieved = ApiResponse<'getOrder'>;

const t = texts.order.delivered;

/** The statuses of an order without trouble, in their order. */
const PATH: readonly OrderStatus[] = [
  'created',
  'passed',
  'in_production',
  'printed',
  'shipped',
  'in_transit',
  'delivered',
];
const ENDED: readonly OrderStatus[] = ['delivered', 'returned', 'failed', 'canceled'];

interface Stage {
  readonly status: OrderStatus;
  /** Null: the order has not reached it. */
  readonly at: string | null;
  /** When it is promised, in words. */
  readonly promised?: string;
}

/** Returns the statuses that the order has had, the latest time of each, and those that come next. */
function stagesOf({ promise }: OperatorOrder, { createdAt, eventLog, fulfillmentStatus }: Retrieved): Stage[] {
  const reached = new Map<OrderStatus, string>([['created', createdAt]]);
  for (const { type, data, createdAt: at } of eventLog) {
    if (type !== 'status') continue;
    const status = data.status as OrderStatus;
    // A status that the order had before a repair is listed where the order is now.
    reached.delete(status);
    reached.set(status, at);
  }
  const stages: Stage[] = [...reached].map(([status, at]) => ({ status, at }));
  if (fulfillmentStatus === 'draft' || ENDED.includes(fulfillmentStatus)) return stages;
  const furthest = Math.max(...[...reached.keys()].map((status) => PATH.indexOf(status)));
  const promises: Partial<Record<OrderStatus, string>> =
    promise === null
      ? {}
      : {
          shipped: t.dispatchedBy(calendarDay(promise.dispatchDate)),
          delivered: t.deliveredBy(calendarDay(promise.maxDeliveryDate)),
        };
  const ahead = PATH.slice(furthest + 1).map((status): Stage => {
    const promised = promises[status];
    return { status, at: null, ...(promised === undefined ? {} : { promised }) };
  });
  return [...stages, ...ahead];
}

/** Who gets the order and where, how it is shipped, and how far it is. */
export function Delivery({ order }: { readonly order: OperatorOrder }) {
  const query = useQuery(read('getOrder', { params: { orderId: order.id } }));
  return (
    <Section title={t.title}>
      <QueryContent query={query} lines={4}>
        {(retrieved) => (
          <div className={styles.sides}>
            <Recipient order={retrieved} />
            <Stages stages={stagesOf(order, retrieved)} />
          </div>
        )}
      </QueryContent>
    </Section>
  );
}

function Recipient({ order: { shippingAddress: address, shipment } }: { readonly order: Retrieved }) {
  const { firstName, lastName, companyName, addressLine1, addressLine2, postCode, city, state, country } = address;
  const lines = [
    companyName,
    addressLine1,
    addressLine2,
    [postCode, city, state].filter((part) => part !== null && part !== '').join(' '),
    texts.names.country(country),
  ].filter((line) => line !== null && line !== '');
  return (
    <Stack gap="sm">
      <Title order={3} size="sm">
        {t.recipient}
      </Title>
      <Stack gap={2}>
        <Text size="sm" fw={500}>
          {firstName} {lastName}
        </Text>
        {lines.map((line) => (
          <Text key={line} size="sm">
            {line}
          </Text>
        ))}
      </Stack>
      <Stack gap={2}>
        <Text size="sm">{address.email}</Text>
        <Text size="sm">{address.phone}</Text>
      </Stack>
      {address.addressAsSent === null ? null : (
        <Text size="xs" c="dimmed">
          {t.asSent(Object.values(address.addressAsSent))}
        </Text>
      )}
      <Findings checks={address.checks} accepted={address.checksAccepted} />
      {shipment === null ? null : <Text size="sm">{t.method(shipment.shipmentMethodName, shipment.packageCount)}</Text>}
    </Stack>
  );
}

function Stages({ stages }: { readonly stages: readonly Stage[] }) {
  const next = stages.findIndex(({ at }) => at === null);
  return (
    <Stack gap="sm">
      <Title order={3} size="sm">
        {t.stages}
      </Title>
      <ol className={styles.stages}>
        {stages.map(({ status, at, promised }, index) => (
          <li key={status} className={styles.stage}>
            {at === null ? (
              <Text size="sm" c="dimmed">
                {texts.names.status(status).text}
              </Text>
            ) : (
              <StatusBadge status={status} />
            )}
            <Text size="sm" {...(at === null ? { c: 'dimmed' } : {})}>
              {at === null ? (
                [index === next ? t.next : '', promised ?? ''].filter((part) => part !== '').join(' · ')
              ) : (
                <Time at={at} />
              )}
            </Text>
          </li>
        ))}
      </ol>
    </Stack>
  );
}
