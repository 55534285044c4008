import type { ApiResponse, Input } from '../../api/types';

type Request = Input<'startBulkRepair'>['body'];
export type BulkRepairKind = Request['action'];

/** The repairs of many orders, in the order of their buttons. The type check asks for one that is missing. */
const BULK = {
  retry: true,
  accept_files: true,
  accept_address: true,
  reroute: true,
  reproduce: true,
  release: true,
  hold: true,
  cancel: true,
  refund: true,
  move_promise: true,
  dismiss: true,
} satisfies Record<BulkRepairKind, true>;
export const BULK_REPAIRS = Object.keys(BULK) as BulkRepairKind[];

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
