import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
import { texts } from '../../texts';

export type ParcelStatus = keyof typeof texts.shipments.statuses;
export const PARCEL_STATUSES = Object.keys(texts.shipments.statuses) as readonly ParcelStatus[];

/** The search and the filters of the lists, as the address holds them. */
export interface ShipmentsSearch {
  readonly q?: string | undefined;
  readonly problem?: 'true' | undefined;
  readonly status?: ParcelStatus | undefined;
}

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
