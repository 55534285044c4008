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
