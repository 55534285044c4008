/** Pauses between the steps of a print order. A cancel request, a test, or the end of the sandbox ends them early. */
export interface Pauses {
  wait(printOrderId: string, ms: number): Promise<void>;
  /** Ends the pause of a print order. */
  wake(printOrderId: string): void;
}

export function createPauses(signal: AbortSignal): Pauses {
  const wakers = new Map<string, () => void>();
  signal.addEventListener('abort', () => {
    for (const wake of wakers.values()) wake();
  });
  return {
    wait: (printOrderId, ms) =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          wakers.delete(printOrderId);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        wakers.set(printOrderId, wake);
      }),
    wake: (printOrderId) => wakers.get(printOrderId)?.(),
  };
}
