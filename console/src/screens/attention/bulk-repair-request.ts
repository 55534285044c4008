import type { ApiResponse, Input } from '../../api/types';

type Request = Input<'startBulkRepair'>['body'];
export type BulkRepairKind = Request['action'];

/** The repairs of many orders, in the order of their buttons. */
export const BULK_REPAIRS = [
  'retry',
  'accept_files',
  'reroute',
  'reproduce',
  'release',
  'hold',
  'cancel',
  'dismiss',
] as const satisfies readonly BulkRepairKind[];

export interface SelectedOrder {
  readonly id: string;
  readonly orderReferenceId: string;
}

/** The orders that a bulk repair is for: those that are selected, or every one that matches the filter. */
export interface RepairTarget {
  readonly request: Pick<Request, 'orderIds' | 'filter'>;
  readonly count: number;
  /** Those whose references are known. */
  readonly orders: readonly SelectedOrder[];
}

/** Most orders that the API accepts in one bulk repair. */
export const MOST_ORDERS = 10_000;

type Started = Extract<ApiResponse<'startBulkRepair'>, { id: string }>;
type DryRun = Exclude<ApiResponse<'startBulkRepair'>, Started>;

export const isStarted = (response: Started | DryRun): response is Started => 'id' in response;
