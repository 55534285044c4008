import { createRouter } from '@tanstack/react-router';
import { LoadingLines } from '../components/layout/query-content';
import { attentionRoute } from '../screens/attention/route';
import { catalogRoute } from '../screens/catalog/route';
import { clientRoute, clientsRoute } from '../screens/clients/route';
import { orderRoute } from '../screens/order/route';
import { ordersRoute } from '../screens/orders/route';
import { outboxRoute } from '../screens/outbox/route';
import { partnerRoute, partnersRoute } from '../screens/partners/route';
import { reportsRoute } from '../screens/reports/route';
import { sandboxRoute } from '../screens/sandbox/route';
import { shipmentsRoute } from '../screens/shipments/route';
import { stockRoute } from '../screens/stock/route';
import { systemRoute } from '../screens/system/route';
import { operatorRoute, teamRoute } from '../screens/team/route';
import { todayRoute } from '../screens/today/route';
import { indexRoute, rootRoute, signInRoute } from './root-route';
import { ScreenError } from './screen-error';

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    indexRoute,
    signInRoute,
    todayRoute,
    attentionRoute,
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
    catalogRoute,
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
