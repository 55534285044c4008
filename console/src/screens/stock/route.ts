import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { stockSearch } from './stock-search';

export const stockRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stock',
  validateSearch: stockSearch,
  component: lazyRouteComponent(() => import('./stock-screen'), 'StockScreen'),
});
