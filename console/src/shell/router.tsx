import { Text } from '@mantine/core';
import { createRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { ErrorAlert } from '../components/layout/error-alert';
import { LoadingLines } from '../components/layout/query-content';
import { Screen } from '../components/layout/screen';
import { Link } from '../components/values/link';
import { indexRoute, rootRoute, signInRoute } from '../routing/root-route';
import { attentionRoute } from '../screens/attention/route';
import { catalogRoute, modelRoute } from '../screens/catalog/route';
import { channelRoute, inboxRoute } from '../screens/channels/route';
import { clientRoute, clientsRoute } from '../screens/clients/route';
import { orderRoute } from '../screens/order/route';
import { ordersRoute } from '../screens/orders/route';
import { outboxRoute } from '../screens/outbox/route';
import { partnerRoute, partnersRoute } from '../screens/partners/route';
import { receiptsRoute } from '../screens/receipts/route';
import { reportsRoute } from '../screens/reports/route';
import { sandboxRoute } from '../screens/sandbox/route';
import { shipmentsRoute } from '../screens/shipments/route';
import { stockRoute } from '../screens/stock/route';
import { systemRoute } from '../screens/system/route';
import { operatorRoute, teamRoute } from '../screens/team/route';
import { todayRoute } from '../screens/today/route';
import * as texts from '../texts';
import { Shell } from './shell';

export const router = createRouter({
  routeTree: rootRoute
    .update({ component: Shell, notFoundComponent: NotFound })
    .addChildren([
      indexRoute,
      signInRoute,
      todayRoute,
      attentionRoute,
      inboxRoute,
      channelRoute,
      ordersRoute,
      orderRoute,
      partnersRoute,
      partnerRoute,
      clientsRoute,
      clientRoute,
      teamRoute,
      operatorRoute,
      sandboxRoute,
      shipmentsRoute,
      reportsRoute,
      receiptsRoute,
      catalogRoute,
      modelRoute,
      stockRoute,
      outboxRoute,
      systemRoute,
    ]),
  basepath: '/console',
  defaultPendingComponent: () => <LoadingLines lines={8} />,
  defaultErrorComponent: ScreenError,
  // Search parameters are texts, so that addresses are easy to read and to write.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
});

/** Differs for each router. A hot update creates a new router, which React mounts only under a new key. */
export const routerKey = Date.now();

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** Shown for an address of no screen. */
function NotFound() {
  const { title, text, link } = texts.common.notFound;
  return (
    <Screen title={title}>
      <Text>{text}</Text>
      <Link to="/">{link}</Link>
    </Screen>
  );
}

/** Shown instead of a screen that failed. */
function ScreenError({ error, reset }: ErrorComponentProps) {
  return (
    <Screen title={texts.common.error.title}>
      <ErrorAlert error={error} onRetry={reset} />
    </Screen>
  );
}
