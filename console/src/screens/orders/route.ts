import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';

/** The search and the filters of the list, as the address holds them. */
interface OrdersSearch {
  readonly q?: string | undefined;
  readonly status?: string | undefined;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export const ordersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/orders',
  validateSearch: (search: Record<string, unknown>): OrdersSearch => ({
    q: text(search.q),
    status: text(search.status),
  }),
  component: lazyRouteComponent(() => import('./orders-screen'), 'OrdersScreen'),
});
