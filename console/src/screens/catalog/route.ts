import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
import { texts } from '../../texts';

export type ProductState = keyof typeof texts.catalog.productStates;
export const PRODUCT_STATES = Object.keys(texts.catalog.productStates) as readonly ProductState[];

/** The search and the filters of customer products, as the address holds them. Without a state the list has the published ones. */
export interface CatalogSearch {
  readonly q?: string | undefined;
  readonly state?: ProductState | undefined;
  /** Id of a product model. */
  readonly model?: string | undefined;
}

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
