import DataLoader from 'dataloader';
import postgres from 'postgres';

/**
 * Group commit: what is to be written while another statement is under way waits for it, and goes in one statement with
 * whatever else has waited. By itself it goes at once.
 * @param write one transaction for all of them; gives one result for each, in their order
 * @param most go in one statement
 * @returns writes one. A statement that Postgres refuses is taken apart, so that each gets what it would have got alone;
 * of one whose outcome is not known (its connection was cut) all fail.
 */
export function groupCommit<T, Result>(
  write: (all: readonly T[]) => Promise<readonly Result[]>,
  most: number,
): (one: T) => Promise<Result> {
  let underWay = false;
  const waiting: (() => void)[] = [];
  const alone = (one: T) => write([one]).then(([result]) => result as Result, asError);
  const loader = new DataLoader<T, Result>(
    async (all) => {
      try {
        return await write(all);
      } catch (error) {
        if (all.length === 1 || !wasRefused(error)) throw error;
        return await Promise.all(all.map(alone));
      } finally {
        const next = waiting.shift();
        if (next === undefined) underWay = false;
        else next();
      }
    },
    {
      cache: false,
      maxBatchSize: most,
      batchScheduleFn: (dispatch) => {
        if (underWay) return void waiting.push(dispatch);
        underWay = true;
        setImmediate(dispatch);
      },
    },
  );
  return (one) => loader.load(one);
}

/** Whether the server itself ended the statement: nothing of it was stored. */
function wasRefused(error: unknown): boolean {
  return error instanceof postgres.PostgresError;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
