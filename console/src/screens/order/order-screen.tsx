import { Anchor, Button, CopyButton, Group, Stack, Tabs, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read } from '../../api/queries';
import { ClientLink } from '../../components/accounts/account-links';
import { DescriptionList } from '../../components/layout/description-list';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import { ReasonBadge, StatusBadge } from '../../components/values/badge';
import { calendarDay } from '../../components/values/days';
import { Link } from '../../components/values/link';
import { Age, Time } from '../../components/values/time';
import * as texts from '../../texts';
import { WAITS } from '../../texts/order';
import { Claims } from './claims';
import { Delivery } from './delivery';
import { Documents } from './documents';
import { Items } from './items';
import { Notes } from './notes';
import { Notifications } from './notifications';
import styles from './order-screen.module.css';
import { LatestOutcome, Problem } from './outcome';
import { Parcels } from './parcels';
import { PrintOrders } from './print-orders';
import { Receipts } from './receipts';
import { OrderAgain } from './repairs/again-form';
import { Repairs } from './repairs/repairs';
import { Timeline } from './timeline';
import type { OperatorOrder } from './types';

const route = getRouteApi('/orders/$orderId');
const t = texts.order;
/** From this width on, there is room for two columns. order-screen.module.css has the same. */
const WIDE = '(min-width: 75em)';

export function OrderScreen() {
  const { orderId } = route.useParams();
  const query = useQuery(read('getOperatorOrder', { params: { orderId } }));
  const reference = query.data?.orderReferenceId ?? orderId;
  return (
    <Screen title={t.title(reference)} actions={query.data === undefined ? null : <Links order={query.data} />}>
      <QueryContent query={query}>
        {(order) => (
          <>
            <Head order={order} />
            <Problem order={order} />
            <Repairs order={order} />
            <LatestOutcome order={order} />
            <Parts order={order} />
          </>
        )}
      </QueryContent>
    </Screen>
  );
}

/** What the order is beside what happened to it, or, on a narrow screen, each on a tab. */
function Parts({ order }: { readonly order: OperatorOrder }) {
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false });
  const content = (
    <Stack gap="lg" className={styles.column!}>
      <Delivery order={order} />
      <Items order={order} />
      <Claims order={order} />
      <Parcels order={order} />
      <PrintOrders order={order} />
      <Documents orderId={order.id} />
      <Receipts orderId={order.id} />
      <Notifications orderId={order.id} />
    </Stack>
  );
  const history = (
    <Stack gap="lg" className={styles.column!}>
      <Notes orderId={order.id} />
      <Timeline order={order} />
    </Stack>
  );
  if (isWide)
    return (
      <div className={styles.columns}>
        {content}
        {history}
      </div>
    );
  return (
    <Tabs defaultValue="content" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="content">{t.tabs.content}</Tabs.Tab>
        <Tabs.Tab value="history">{t.tabs.history}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="content">{content}</Tabs.Panel>
      <Tabs.Panel value="history">{history}</Tabs.Panel>
    </Tabs>
  );
}

function Links({ order }: { readonly order: OperatorOrder }) {
  return (
    <>
      <OrderAgain order={order} />
      {order.temporalUrl === null ? null : (
        <Anchor size="sm" href={order.temporalUrl} target="_blank" rel="noreferrer">
          {t.temporal}
        </Anchor>
      )}
      <CopyButton value={order.consoleUrl}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy}>
            {copied ? texts.common.copied : t.copy}
          </Button>
        )}
      </CopyButton>
    </>
  );
}

/** The order that an order makes again, and those that make it again. */
function linkedOrders({ reprintOf, reprints }: OperatorOrder) {
  const link = (orderId: string, text: string) => (
    <Link key={orderId} to="/orders/$orderId" params={{ orderId }}>
      {text}
    </Link>
  );
  return [
    ...(reprintOf === null ? [] : [[t.reprint.of, link(reprintOf, t.reprint.first)] as const]),
    ...(reprints.length === 0
      ? []
      : [
          [
            t.reprint.reprints,
            <Group key="reprints" gap={6}>
              {reprints.map((orderId, index) => link(orderId, t.reprint.again(index + 1)))}
            </Group>,
          ] as const,
        ]),
  ];
}

/** Status, what the order waits for and until when, and the promised dates. */
function Head({ order }: { readonly order: OperatorOrder }) {
  const { promise, nextStep, attention, refusal, problem } = order;
  // What an operator has to do can concern the print order of a partner.
  const who = (nextStep.who === 'partner' ? nextStep.partnerUid : null) ?? texts.names.code(nextStep.who);
  const waits = nextStep.who === 'nobody' ? t.nobody : t.waitsForOf(who, WAITS[nextStep.waitsFor]);
  return (
    <DescriptionList
      entries={[
        [t.status, <StatusBadge key="status" status={order.fulfillmentStatus} />],
        [t.waitsFor, waits],
        [t.due, nextStep.dueAt === null ? texts.common.none : <Age key="due" at={nextStep.dueAt} />],
        ...(attention.length === 0
          ? []
          : ([
              [
                t.attention,
                <Group key="attention" gap={6}>
                  {attention.map((reason) => (
                    <ReasonBadge key={reason} reason={reason} />
                  ))}
                </Group>,
              ],
            ] as const)),
        [t.dispatch, promise === null ? texts.common.none : calendarDay(promise.dispatchDate)],
        [
          t.delivery,
          promise === null
            ? texts.common.none
            : t.deliverySpan(calendarDay(promise.minDeliveryDate), calendarDay(promise.maxDeliveryDate)),
        ],
        [t.payment, <StatusBadge key="payment" status={order.financialStatus} />],
        [t.client, <ClientLink key="client" id={order.clientId} name={order.clientName} />],
        [t.created, <Time key="created" at={order.createdAt} />],
        ...linkedOrders(order),
        ...(refusal === null || refusal.reason === problem?.message
          ? []
          : ([
              [
                t.refused,
                <Text key="refusal" size="sm">
                  {refusal.reason}
                </Text>,
              ],
            ] as const)),
      ]}
    />
  );
}
