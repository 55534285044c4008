import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { catalogSearch } from './catalog-search';

export const catalogRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/catalog',
  validateSearch: catalogSearch,
  component: lazyRouteComponent(() => import('./catalog-screen'), 'CatalogScreen'),
});

export const modelRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/catalog/models/$modelId',
  component: lazyRouteComponent(() => import('./model-screen'), 'ModelScreen'),
});
