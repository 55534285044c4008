import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
import { type AttentionSort, SORTS } from './sorts';

/** The filter and the order of the list, as the address holds them. */
interface AttentionSearch {
  readonly reason?: string | undefined;
  readonly sort?: AttentionSort | undefined;
}

export const attentionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/attention',
  validateSearch: (search: Record<string, unknown>): AttentionSearch => ({
    reason: typeof search.reason === 'string' ? search.reason : undefined,
    sort: SORTS.find((sort) => sort === search.sort),
  }),
  component: lazyRouteComponent(() => import('./attention-screen'), 'AttentionScreen'),
});
