import type { ApiResponse } from '../../api/types';

export type System = ApiResponse<'getSystem'>;
