import type { ApiResponse } from '../../api/types';

export type OperatorOrder = ApiResponse<'getOperatorOrder'>;
export type PrintOrder = OperatorOrder['printOrders'][number];
/** A repair that the order accepts now. */
export type PossibleRepair = OperatorOrder['possibleRepairs'][number];
