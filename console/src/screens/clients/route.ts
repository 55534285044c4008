import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
import { DELIVERY_STATES, type DeliveryState } from './delivery-states';

/** The endpoint and the filter of the deliveries, as the address holds them. */
export interface ClientSearch {
  readonly endpoint?: string | undefined;
  readonly state?: DeliveryState | undefined;
}

export const clientsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/clients',
  component: lazyRouteComponent(() => import('./clients-screen'), 'ClientsScreen'),
});

export const clientRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/clients/$clientId',
  validateSearch: (search: Record<string, unknown>): ClientSearch => ({
    endpoint: typeof search.endpoint === 'string' ? search.endpoint : undefined,
    state: DELIVERY_STATES.find((state) => state === search.state),
  }),
  component: lazyRouteComponent(() => import('./client-screen'), 'ClientScreen'),
});
