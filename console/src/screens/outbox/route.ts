import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { outboxSearch } from './outbox-search';

export const outboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/outbox',
  validateSearch: outboxSearch,
  component: lazyRouteComponent(() => import('./outbox-screen'), 'OutboxScreen'),
});
