import { read } from '../../api/queries';
import type { Answer } from '../../api/types';

export type Client = Answer<'getClient'>;
export type Health = Answer<'getClientHealth'>;

/** The figures change slowly. */
const HEALTH_MS = 30_000;

export const clientHealth = (connectorId: string) => ({
  ...read('getClientHealth', { params: { connectorId } }),
  staleTime: HEALTH_MS,
  refetchInterval: HEALTH_MS,
});

export const clientEndpoints = (connectorId: string) => read('listClientWebhooks', { params: { connectorId } });
