import * as z from 'zod/mini';
import { decimalId, flag, keyOf, text } from '../../routing/search-params';
import * as texts from '../../texts';

/** What the screen shows. With a partner and a SKU it also shows the movements of the item. */
export const stockSearch = z.object({
  partnerId: text,
  sku: text,
  alert: keyOf({ any: null, report_differs: null, ...texts.stock.alerts }),
  /** Filters of the procurement orders. */
  status: keyOf(texts.stock.statuses),
  attention: flag,
  /** Id of the procurement order that is open. */
  procurementOrder: decimalId,
});
export type StockSearch = z.infer<typeof stockSearch>;
