import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';

export type Partner = ApiResponse<'getPartner'>;
export type Health = ApiResponse<'getPartnerHealth'>;

/** The figures change slowly. */
const HEALTH_MS = 30_000;

export const partnerHealth = (partnerId: string) => ({
  ...read('getPartnerHealth', { params: { partnerId } }),
  staleTime: HEALTH_MS,
  refetchInterval: HEALTH_MS,
});
