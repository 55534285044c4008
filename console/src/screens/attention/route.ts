import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { attentionSearch } from './attention-search';

export const attentionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/attention',
  validateSearch: attentionSearch,
  component: lazyRouteComponent(() => import('./attention-screen'), 'AttentionScreen'),
});
