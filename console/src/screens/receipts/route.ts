import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { receiptsSearch } from './receipts-search';

export const receiptsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/receipts',
  validateSearch: receiptsSearch,
  component: lazyRouteComponent(() => import('./receipts-screen'), 'ReceiptsScreen'),
});
