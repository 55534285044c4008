import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';

/** The filter of the list, as the address holds it. */
interface AttentionSearch {
  readonly reason?: string | undefined;
}

export const attentionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/attention',
  validateSearch: (search: Record<string, unknown>): AttentionSearch => ({
    reason: typeof search.reason === 'string' ? search.reason : undefined,
  }),
  component: lazyRouteComponent(() => import('./attention-screen'), 'AttentionScreen'),
});
