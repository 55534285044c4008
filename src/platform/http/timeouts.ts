import { TransferError } from './http-fault';

/** The least pace of a response. A server that falls below it has a `timeout` fault. */
export interface LeastPace {
  /** Milliseconds from the start of the request to the head of the response. */
  readonly headMs: number;
  /** Bytes of the body that arrive in each `windowMs` at least, until its end. */
  readonly windowBytes: number;
  readonly windowMs: number;
}

/** The timeouts of one request. */
export interface Timeouts {
  /** Aborts with a `TransferError` at the first timeout. */
  readonly signal: AbortSignal;
  headReceived(): void;
  bodyReceived(bytes: number): void;
  clear(): void;
}

/** Starts the timeouts of a request. @param timeoutMs from its start to the last byte of the response */
export function startTimeouts(host: string, timeoutMs: number, pace?: LeastPace): Timeouts {
  const controller = new AbortController();
  const end = (message: string) => controller.abort(new TransferError('timeout', `${host} ${message}`));
  const total = setTimeout(() => end(`took longer than ${timeoutMs} ms`), timeoutMs);
  let paceTimer = pace && setTimeout(() => end(`sent nothing within ${pace.headMs} ms`), pace.headMs);
  let inWindow = 0;
  return {
    signal: controller.signal,
    headReceived() {
      if (pace === undefined) return;
      clearTimeout(paceTimer);
      paceTimer = setInterval(() => {
        if (inWindow < pace.windowBytes) end(`sent less than ${pace.windowBytes} bytes within ${pace.windowMs} ms`);
        inWindow = 0;
      }, pace.windowMs);
    },
    bodyReceived(bytes) {
      inWindow += bytes;
    },
    clear() {
      clearTimeout(total);
      clearInterval(paceTimer);
    },
  };
}
