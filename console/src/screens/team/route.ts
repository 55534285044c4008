import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { auditSearch } from './team-search';

export const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./team-screen'), 'TeamScreen'),
});

export const operatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team/$operatorId',
  component: lazyRouteComponent(() => import('./operator-screen'), 'OperatorScreen'),
});
