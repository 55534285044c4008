import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { clientSearch } from './clients-search';

export const clientsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/clients',
  component: lazyRouteComponent(() => import('./clients-screen'), 'ClientsScreen'),
});

export const clientRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/clients/$clientId',
  validateSearch: clientSearch,
  component: lazyRouteComponent(() => import('./client-screen'), 'ClientScreen'),
});
