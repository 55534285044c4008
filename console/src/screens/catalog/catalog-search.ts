import * as z from 'zod/mini';
import { keyOf, text } from '../../routing/search-params';
import * as texts from '../../texts';

/** The search and the filters of customer products. Without a state the list has the published ones. */
export const catalogSearch = z.object({
  q: text,
  state: keyOf(texts.catalog.productStates),
  /** Id of a product model. */
  model: text,
});
export type CatalogSearch = z.infer<typeof catalogSearch>;
