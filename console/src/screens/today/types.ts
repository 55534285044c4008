import type { ApiResponse } from '../../api/types';

export type Summary = ApiResponse<'getOperatorSummary'>;
