import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { shipmentsSearch } from './shipments-search';

export const shipmentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/shipments',
  validateSearch: shipmentsSearch,
  component: lazyRouteComponent(() => import('./shipments-screen'), 'ShipmentsScreen'),
});
