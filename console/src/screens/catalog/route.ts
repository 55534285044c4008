import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
import { type CatalogSearch, PRODUCT_STATES } from './search';

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export const catalogRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/catalog',
  validateSearch: (search: Record<string, unknown>): CatalogSearch => ({
    q: text(search.q),
    state: PRODUCT_STATES.find((each) => each === search.state),
    model: text(search.model),
  }),
  component: lazyRouteComponent(() => import('./catalog-screen'), 'CatalogScreen'),
});
