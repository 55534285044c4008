import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { PartnerLink } from '../../components/accounts/account-links';
import { EmptyLine } from '../../components/layout/empty';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge, StatusBadge } from '../../components/values/badge';
import { durationOfMs } from '../../components/values/duration';
import { Json } from '../../components/values/json';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { AttentionReason } from '../../texts/names';
import type { OperatorOrder, PrintOrder } from './types';

type Postback = PrintOrder['postbacks'][number];
type Sent = ApiResponse<'listSentPrintOrders'>['printOrders'][number];
type Alternative = OperatorOrder['routing'][number]['decision']['explanation'][number]['alternatives'][number];

const t = texts.order.printOrders;
const euros = (cents: number) => (cents / 100).toFixed(2);

const ATTEMPTS: readonly Column<Sent['requests'][number]>[] = [
  { name: t.attemptColumns.at, cell: ({ at }) => <Time at={at} /> },
  { name: t.attemptColumns.kind, cell: ({ kind }) => texts.names.code(kind) },
  {
    name: t.attemptColumns.status,
    cell: ({ status, outcome }) => `${status ?? t.noResponse} · ${texts.names.code(outcome)}`,
  },
  { name: t.attemptColumns.duration, numeric: true, cell: ({ durationMs }) => durationOfMs(durationMs) },
  { name: t.attemptColumns.response, cell: ({ response }) => response ?? texts.common.none },
];

const POSTBACKS: readonly Column<Postback>[] = [
  { name: t.postbackColumns.at, cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { name: t.postbackColumns.status, cell: ({ status }) => <StatusBadge status={status} /> },
  { name: t.postbackColumns.message, cell: ({ message }) => message ?? texts.common.none },
];

const cost = (of: (cost: Extract<Alternative, { cost: object }>['cost']) => number) => (alternative: Alternative) =>
  'cost' in alternative ? euros(of(alternative.cost)) : texts.common.none;

const ROUTING: readonly Column<Alternative>[] = [
  { name: t.routingColumns.partner, cell: ({ partnerUid }) => partnerUid },
  {
    name: t.routingColumns.verdict,
    cell: (alternative) =>
      alternative.verdict === 'rejected' ? (
        <Text size="sm">
          {t.verdicts.rejected}: {alternative.detail}
        </Text>
      ) : (
        <Badge tone={alternative.verdict === 'chosen' ? 'success' : 'neutral'}>{t.verdicts[alternative.verdict]}</Badge>
      ),
  },
  { name: t.routingColumns.production, numeric: true, cell: cost(({ production }) => production) },
  { name: t.routingColumns.postage, numeric: true, cell: cost(({ postage }) => postage) },
  { name: t.routingColumns.time, numeric: true, cell: cost(({ time }) => time) },
  { name: t.routingColumns.parcels, numeric: true, cell: cost(({ parcels, borders }) => parcels + borders) },
  { name: t.routingColumns.stock, numeric: true, cell: cost(({ stock }) => stock) },
  { name: t.routingColumns.cost, numeric: true, cell: cost(({ total }) => total) },
];

/** What needs a person and has nothing to do with print orders. */
const ELSEWHERE: readonly AttentionReason[] = [
  'file_check',
  'address_check',
  'order_failed',
  'order_returned',
  'parcel_exception',
  'record_refused',
  'step_fails_process',
  'workflow_slow',
];
const isElsewhere = (reason: AttentionReason) => ELSEWHERE.includes(reason);

/** Says what the table below it has. */
function Caption({ children }: { readonly children: string }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}

/** What partners got, how they responded, and why routing chose them. */
export function PrintOrders({ order }: { readonly order: OperatorOrder }) {
  const sent = useQuery(read('listSentPrintOrders', { params: { orderId: order.id } }));
  const itemOf = (id: string) => order.items.find((item) => item.id === id)?.itemReferenceId ?? id;
  const sentOf = (id: string) => sent.data?.printOrders.find((each) => each.id === id);
  return (
    <Section title={t.title} folded={order.printOrders.length === 0 || order.attention.every(isElsewhere)}>
      {order.printOrders.length === 0 ? <EmptyLine title={t.empty} text={t.emptyText} /> : null}
      {order.printOrders.map((printOrder) => (
        <OnePrintOrder key={printOrder.id} printOrder={printOrder} sent={sentOf(printOrder.id)} />
      ))}
      {order.routing.map(({ step, decision }) => (
        <Stack key={step} gap="xs">
          <Title order={3} size="sm">
            {t.routing}
          </Title>
          {decision.ok ? <Text size="sm">{decision.why}</Text> : null}
          {decision.explanation.map(({ itemId, alternatives }) => (
            <Stack key={itemId} gap={4}>
              <Caption>{t.routingOf(itemOf(itemId))}</Caption>
              <DataTable
                label={`${t.routing} ${step} ${itemId}`}
                columns={ROUTING}
                rows={alternatives}
                keyOf={({ partnerId }) => partnerId}
              />
            </Stack>
          ))}
        </Stack>
      ))}
    </Section>
  );
}

function OnePrintOrder({ printOrder, sent }: { readonly printOrder: PrintOrder; readonly sent: Sent | undefined }) {
  const units = printOrder.jobs.reduce((sum, { quantity }) => sum + quantity, 0);
  return (
    <Stack gap="xs">
      <Group gap="md">
        <Title order={3} size="sm">
          <PartnerLink id={printOrder.partnerId} uid={printOrder.partnerUid} /> · {printOrder.id}
        </Title>
        <StatusBadge status={printOrder.status} />
        <Text size="sm" c="dimmed">
          {t.columns.units} {units} · {t.columns.dispatch} {printOrder.dispatchDate}
        </Text>
      </Group>
      {sent?.messages.map(({ revision, body }) => (
        <Json key={revision} value={body} show={t.sent(revision)} hide={texts.order.timeline.hideJson} />
      ))}
      {sent === undefined || sent.requests.length === 0 ? null : (
        <Stack gap={4}>
          <Caption>{t.attempts}</Caption>
          <DataTable
            label={`${t.attempts} ${printOrder.id}`}
            columns={ATTEMPTS}
            rows={sent.requests}
            keyOf={({ id }) => id}
          />
        </Stack>
      )}
      {printOrder.postbacks.length === 0 ? null : (
        <Stack gap={4}>
          <Caption>{t.postbacks}</Caption>
          <DataTable
            label={`${t.postbacks} ${printOrder.id}`}
            columns={POSTBACKS}
            rows={printOrder.postbacks}
            keyOf={({ id }) => id}
          />
          {printOrder.postbackCount > printOrder.postbacks.length ? (
            <Caption>{t.latestOf(printOrder.postbacks.length, printOrder.postbackCount)}</Caption>
          ) : null}
        </Stack>
      )}
    </Stack>
  );
}
