import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';

export const partnersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/partners',
  component: lazyRouteComponent(() => import('./partners-screen'), 'PartnersScreen'),
});

export const partnerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/partners/$partnerId',
  component: lazyRouteComponent(() => import('./partner-screen'), 'PartnerScreen'),
});
