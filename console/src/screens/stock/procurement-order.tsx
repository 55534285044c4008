import { Button, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { FormDialog } from '../../components/forms/form-dialog';
import { optionsOf } from '../../components/forms/select';
import { DescriptionList } from '../../components/layout/description-list';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import { calendarDay } from '../../components/values/days';
import { Json } from '../../components/values/json';
import { Link, OutsideLink } from '../../components/values/link';
import { moneyOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';

type Order = ApiResponse<'getProcurementOrder'>;
type Event = Order['events'][number];
type ProcurementStatus = Order['status'];

const t = texts.stock;
const { none } = texts.common;

/** One procurement order: how far it is, what was ordered and received, and what happened. */
export function ProcurementOrder({ orderId }: { readonly orderId: string }) {
  const query = useQuery(read('getProcurementOrder', { params: { orderId: Number(orderId) } }));
  return (
    <Section
      title={t.order(orderId)}
      actions={
        <Link to="/stock" search={{}}>
          {t.closeOrder}
        </Link>
      }
    >
      <QueryContent query={query}>
        {(order) => (
          <Stack>
            <OrderFacts order={order} />
            <Moves order={order} />
            <Title order={3}>{t.steps}</Title>
            <DataTable label={t.steps} columns={STEPS} rows={stepsOf(order)} keyOf={({ status }) => status} />
            <Title order={3}>{t.items}</Title>
            <DataTable
              label={t.items}
              columns={itemColumns(order.currency)}
              rows={order.items}
              keyOf={({ partnerSku, productUid }) => partnerSku ?? productUid}
            />
            {order.invoices.length === 0 ? null : (
              <>
                <Title order={3}>{t.invoices}</Title>
                <DataTable label={t.invoices} columns={INVOICES} rows={order.invoices} keyOf={({ url }) => url} />
              </>
            )}
            <Title order={3}>{t.log}</Title>
            <DataTable
              label={t.log}
              columns={LOG}
              rows={order.events}
              keyOf={(event) => `${event.at} ${JSON.stringify(event.data)}`}
            />
          </Stack>
        )}
      </QueryContent>
    </Section>
  );
}

function OrderFacts({ order }: { readonly order: Order }) {
  const { status, currency, shippingCost, attention } = order;
  const names = t.orderFacts;
  return (
    <DescriptionList
      entries={[
        [
          names.status,
          <Badge key="status" tone={t.statuses[status].tone}>
            {t.statuses[status].text}
          </Badge>,
        ],
        [names.partner, order.partnerName],
        [names.supplier, order.supplierUid],
        [names.poNumber, order.partnerPoNumber ?? none],
        [names.shipping, shippingCost === null ? none : moneyOf(shippingCost, currency)],
        [names.total, moneyOf(order.totalCost, currency)],
        [
          names.attention,
          attention === null ? (
            none
          ) : (
            <Badge key="attention" tone="warning">
              {attention}
            </Badge>
          ),
        ],
      ]}
    />
  );
}

/** Buttons that move the order to its next status. */
function Moves({ order }: { readonly order: Order }) {
  const mayMove = useMay('operator');
  const [next, setNext] = useState<ProcurementStatus | null>(null);
  if (!mayMove || order.nextStatuses.length === 0) return null;
  return (
    <Button.Group>
      {order.nextStatuses.map((status) => (
        <Button key={status} variant="default" onClick={() => setNext(status)}>
          {t.move(t.statuses[status].text)}
        </Button>
      ))}
      <FormDialog
        content={
          next && {
            title: t.move(t.statuses[next].text),
            explanation: t.moveExplanation(order.orderId, t.statuses[next].text),
            button: t.move(t.statuses[next].text),
            withReason: true,
            changeOf: ({ reason }) =>
              change('moveProcurementOrder', {
                params: { orderId: order.orderId },
                body: { status: next, reason },
              }),
          }
        }
        onClose={() => setNext(null)}
      />
    </Button.Group>
  );
}

interface Step {
  readonly status: ProcurementStatus;
  readonly reached: { readonly at: string; readonly actor: string } | null;
}

/** Returns every step of the order with the event that reached it. An order can skip steps. */
function stepsOf({ events }: Order): Step[] {
  return optionsOf(t.statuses).map(({ value: status }) => {
    const event = events.find(
      ({ type, data }) => (type === 'raised' && status === 'supplier') || (data.to === status && data.from !== status),
    );
    return { status, reached: event ?? null };
  });
}

const STEPS: readonly Column<Step>[] = [
  { name: t.stepColumns.step, cell: ({ status }) => t.statuses[status].text },
  {
    name: t.stepColumns.reached,
    cell: ({ reached }) => (reached === null ? t.notReached : <Time at={reached.at} />),
  },
  { name: t.stepColumns.by, cell: ({ reached }) => reached?.actor ?? none },
];

const itemColumns = (currency: string): readonly Column<Order['items'][number]>[] => [
  { name: t.itemColumns.sku, cell: ({ partnerSku }) => partnerSku ?? none },
  { name: t.itemColumns.product, cell: ({ productName, productUid }) => productName ?? productUid },
  { name: t.itemColumns.quantity, numeric: true, cell: ({ quantity }) => quantity },
  { name: t.itemColumns.received, numeric: true, cell: ({ quantityReceived }) => quantityReceived },
  { name: t.itemColumns.cost, numeric: true, cell: ({ unitCost }) => moneyOf(unitCost, currency) },
];

const INVOICES: readonly Column<Order['invoices'][number]>[] = [
  {
    name: t.invoiceColumns.file,
    cell: ({ url, originalFilename }) => <OutsideLink to={url} text={originalFilename} />,
  },
  { name: t.invoiceColumns.reference, cell: ({ referenceId }) => referenceId ?? none },
  { name: t.invoiceColumns.due, cell: ({ dueDate }) => (dueDate === null ? none : calendarDay(dueDate)) },
];

const LOG: readonly Column<Event>[] = [
  { name: t.logColumns.at, cell: ({ at }) => <Time at={at} /> },
  { name: t.logColumns.event, cell: ({ type }) => texts.names.code(type) },
  { name: t.logColumns.by, cell: ({ actor }) => actor },
  {
    name: t.logColumns.details,
    cell: ({ data }) => <Json value={data} show={t.showJson} hide={t.hideJson} />,
  },
];
