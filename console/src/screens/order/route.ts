import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { orderSearch } from './order-search';

export const orderRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/orders/$orderId',
  validateSearch: orderSearch,
  component: lazyRouteComponent(() => import('./order-screen'), 'OrderScreen'),
});
