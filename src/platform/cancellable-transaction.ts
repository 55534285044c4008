import { inTransaction, type Sql, type Transaction } from './postgres';

/**
 * Runs `work` in a transaction whose statements take up to `mostMs` each. Postgres cancels the running one when the signal is
 * aborted: the caller has closed its connection, and a long read would go on for nobody.
 * @param sql connections that nothing waits for while they are all in use: the cancellation takes one of them
 */
export async function inCancellableTransaction<T>(
  sql: Sql,
  { signal, mostMs }: { readonly signal: AbortSignal; readonly mostMs: number },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let cancel = () => {};
  try {
    return await inTransaction(sql, async (tx) => {
      const [session] = await tx<{ pid: number; began: string }[]>`
        SELECT pg_backend_pid() AS pid, now()::text AS began, set_config('statement_timeout', ${String(mostMs)}, true)`;
      const { pid, began } = session!;
      // The session may have another transaction by then.
      cancel = () =>
        void sql`
          SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE pid = ${pid} AND xact_start = ${began}::text::timestamptz`.catch(() => undefined);
      signal.addEventListener('abort', cancel, { once: true });
      signal.throwIfAborted();
      return await work(tx);
    });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Returns true when Postgres has canceled a statement: it took too long, or its caller is gone. */
export const isCanceled = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '57014';
