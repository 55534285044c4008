import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { ordersSearch } from './orders-search';

export const ordersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/orders',
  validateSearch: ordersSearch,
  component: lazyRouteComponent(() => import('./orders-screen'), 'OrdersScreen'),
});
