import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';

const FILTERS = [
  'q',
  'status',
  'attention',
  'country',
  'clientId',
  'partnerId',
  'method',
  'createdFrom',
  'createdTo',
] as const;

/** The search and the filters of the list, as the address holds them. */
export type OrdersSearch = { readonly [name in (typeof FILTERS)[number]]?: string | undefined };

export const ordersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/orders',
  validateSearch: (search: Record<string, unknown>): OrdersSearch =>
    Object.fromEntries(
      FILTERS.flatMap((name) =>
        typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [],
      ),
    ),
  component: lazyRouteComponent(() => import('./orders-screen'), 'OrdersScreen'),
});
