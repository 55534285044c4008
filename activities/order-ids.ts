import type { Logger } from '../src/platform/logging/logging';

/** The order of a run and the request that submitted it, for log lines. */
export interface RunIds {
  readonly orderId: string;
  readonly requestId: string;
}

export function logOf({ log }: { readonly log: Logger }, { orderId, requestId }: RunIds): Logger {
  return log.child({ orderId, requestId });
}
