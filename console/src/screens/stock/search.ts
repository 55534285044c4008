import { texts } from '../../texts';

export type Alert = keyof typeof texts.stock.alerts | 'any';
export type ProcurementStatus = keyof typeof texts.stock.statuses;

export const ALERTS = ['any', ...Object.keys(texts.stock.alerts)] as readonly Alert[];
export const PROCUREMENT_STATUSES = Object.keys(texts.stock.statuses) as readonly ProcurementStatus[];

/** What the screen shows, as the address holds it. With a partner and a SKU it also shows the movements of the item. */
export interface StockSearch {
  readonly partnerId?: string | undefined;
  readonly sku?: string | undefined;
  readonly alert?: Alert | undefined;
  /** Filters of the procurement orders. */
  readonly status?: ProcurementStatus | undefined;
  readonly attention?: 'true' | undefined;
  /** Id of the procurement order that is open. */
  readonly procurementOrder?: number | undefined;
}
