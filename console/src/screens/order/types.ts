import type { Answer } from '../../api/types';

export type OperatorOrder = Answer<'getOperatorOrder'>;
export type PrintOrder = OperatorOrder['printOrders'][number];
/** A repair that the order accepts now. */
export type PossibleRepair = OperatorOrder['possibleRepairs'][number];
