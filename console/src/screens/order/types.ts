import type { ApiResponse } from '../../api/types';

export type OperatorOrder = ApiResponse<'getOperatorOrder'>;
export type PrintOrder = OperatorOrder['printOrders'][number];
/** A repair that the order accepts now. */
export type PossibleRepair = OperatorOrder['possibleRepairs'][number];

/** The form of a repair in its dialog. */
export interface RepairFormProps {
  readonly order: OperatorOrder;
  readonly repair: PossibleRepair;
  readonly onClose: () => void;
}
