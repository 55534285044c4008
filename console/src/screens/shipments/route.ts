import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
import { PARCEL_STATUSES, type ShipmentsSearch } from './search';

export const shipmentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/shipments',
  validateSearch: ({ q, problem, status }: Record<string, unknown>): ShipmentsSearch => ({
    q: typeof q === 'string' && q !== '' ? q : undefined,
    problem: problem === 'true' ? 'true' : undefined,
    status: PARCEL_STATUSES.find((each) => each === status),
  }),
  component: lazyRouteComponent(() => import('./shipments-screen'), 'ShipmentsScreen'),
});
