import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';

export type Client = ApiResponse<'getClient'>;
export type Health = ApiResponse<'getClientHealth'>;

/** The figures change slowly. */
const HEALTH_MS = 30_000;

export const clientHealth = (connectorId: string) => ({
  ...read('getClientHealth', { params: { connectorId } }),
  staleTime: HEALTH_MS,
  refetchInterval: HEALTH_MS,
});

export const clientFileFaults = (connectorId: string) => ({
  ...read('getClientFileFaults', { params: { connectorId } }),
  staleTime: HEALTH_MS,
  refetchInterval: HEALTH_MS,
});

export const clientEndpoints = (connectorId: string) => read('listClientWebhooks', { params: { connectorId } });
