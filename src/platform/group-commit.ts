import type { Span } from '@opentelemetry/api';
import DataLoader from 'dataloader';
import postgres from 'postgres';
import { assertNoTransaction } from './postgres';
import { activeSpan, inSharedSpan } from './tracing/spans';

/**
 * Creates a function that writes one row with group commit. While a statement is in progress, further rows wait and are
 * then written together in the next statement. A row that does not have to wait is written at once.
 *
 * When Postgres rejects a statement with several rows, each row is written again in a statement of its own, so that only
 * the rows at fault fail. When the outcome of a statement is unknown because its connection was cut, all its rows fail.
 * @param write writes all rows in one transaction and returns one result per row, in the same order
 * @param maxBatchSize maximum number of rows per statement
 */
export function groupCommit<T, Result>(
  write: (rows: readonly T[]) => Promise<readonly Result[]>,
  maxBatchSize: number,
): (row: T) => Promise<Result> {
  let writing = false;
  const waiting: (() => void)[] = [];
  const writeAlone = (row: T) => write([row]).then(([result]) => result as Result, asError);
  const loader = new DataLoader<{ readonly row: T; readonly span: Span | undefined }, Result>(
    async (entries) => {
      const rows = entries.map(({ row }) => row);
      try {
        return await inSharedSpan(
          'group commit',
          entries.map(({ span }) => span),
          () => write(rows),
        );
      } catch (error) {
        if (rows.length === 1 || !wasRejected(error)) throw error;
        return await Promise.all(rows.map(writeAlone));
      } finally {
        const next = waiting.shift();
        if (next === undefined) writing = false;
        else next();
      }
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn: (dispatch) => {
        if (writing) return void waiting.push(dispatch);
        writing = true;
        setImmediate(dispatch);
      },
    },
  );
  return (row) => {
    // The shared statement runs in the context of any of its callers.
    assertNoTransaction();
    return loader.load({ row, span: activeSpan() });
  };
}

/** Returns true when Postgres itself rejected the statement, so that nothing of it was stored. */
function wasRejected(error: unknown): boolean {
  return error instanceof postgres.PostgresError;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
