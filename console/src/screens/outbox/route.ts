import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
import { KINDS, type OutboxSearch, STATES } from './search';

export const outboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/outbox',
  validateSearch: ({ state, kind, target }: Record<string, unknown>): OutboxSearch => ({
    state: STATES.find((each) => each === state),
    kind: KINDS.find((each) => each === kind),
    target: typeof target === 'string' && target !== '' ? target : undefined,
  }),
  component: lazyRouteComponent(() => import('./outbox-screen'), 'OutboxScreen'),
});
