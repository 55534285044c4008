import { z } from 'zod';
import { inTransaction, type Sql, type Transaction } from '../platform/postgres';
import { catalogCache } from './catalog-models';
import {
  type Batch,
  type ImportFault,
  KINDS,
  type Kind,
  type KnownModels,
  LINES,
  type Outcome,
  whole,
  writeBatch,
} from './import-batches';
import type { ImportLine } from './import-lines';

/** A line that was not imported, and why. */
export interface RefusedLine {
  readonly line: number;
  readonly faults: readonly ImportFault[];
}

export interface ImportCounts {
  readonly lines: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface ImportOptions {
  /** Check and count everything, and leave the catalog as it is. */
  readonly dryRun?: boolean;
  /** Called after every batch. */
  readonly onProgress?: (counts: ImportCounts) => void;
  /** Called for every line that is refused, in the order of lines within a batch. */
  readonly onRefused?: (refused: RefusedLine) => void;
}

/** Lines of one kind that go into the database together. */
const BATCH = 1_000;

/** What Postgres text and jsonb cannot hold: NUL, and halves of surrogate pairs. */
const UNSTORABLE = /\\u0000|\\ud[89a-f][0-9a-f]{2}/;

function parse(entry: ImportLine): { kind: Kind; value: unknown } | readonly ImportFault[] {
  if (entry.fields === null) return whole(entry.fault ?? 'cannot be read');
  const kind = (entry.fields.kind ?? 'customer_product') as Kind;
  if (!KINDS.includes(kind)) return [{ reference: 'kind', message: `is not one of ${KINDS.join(', ')}` }];
  if (UNSTORABLE.test(JSON.stringify(entry.fields))) return whole('holds characters that cannot be stored');
  const parsed = LINES[kind].safeParse(entry.fields);
  if (parsed.success) return { kind, value: parsed.data };
  return parsed.error.issues.map(({ path, message }) => ({ reference: z.core.toDotPath(path), message }));
}

/** What tells two lines of a kind apart. */
function keyOf(kind: Kind, value: unknown): string {
  const { id, reference, attributeId } = value as { id?: string; reference?: string; attributeId?: string };
  return `${kind}/${attributeId ?? ''}/${reference ?? id}`;
}

/** Thrown at the end of what is only tried, so that nothing of it stays. */
class OnlyTried extends Error {}

/** What writing a batch would give; its rows and the locks on them are gone afterwards. */
async function tryBatch(tx: Transaction, batch: Batch, models: KnownModels): Promise<Outcome[]> {
  let results: Outcome[] = [];
  const tried = tx.savepoint(async (nested) => {
    results = await writeBatch(nested as unknown as Transaction, batch, models);
    throw new OnlyTried();
  });
  await tried.catch(rethrowUnlessTried);
  return results;
}

function rethrowUnlessTried(error: unknown): void {
  if (!(error instanceof OnlyTried)) throw error;
}

/**
 * Imports attributes, attribute values, product models and customer products, under the rules of the API: what is new
 * is created, what differs is replaced, equal lines change nothing, wrong ones are reported and passed over. Customer
 * products are known again by `reference`, and belong to the operators. Lines are written 1,000 at a time, each batch
 * in a transaction of its own, so that an import that is broken off goes on where it was when it is started again. A dry
 * run is one transaction that is rolled back; customer products, which no other line builds on, are rolled back batch by
 * batch, so that others go on making some while thousands of lines are tried.
 */
export async function importCatalog(
  sql: Sql,
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
  options: ImportOptions = {},
): Promise<ImportCounts> {
  const { dryRun = false, onProgress, onRefused } = options;
  const counts = { lines: 0, created: 0, updated: 0, unchanged: 0, refused: 0 };
  const models: KnownModels = new Map();
  /** Line on which each thing stood first. */
  const seen = new Map<string, number>();

  const refuse = (line: number, faults: readonly ImportFault[]) => {
    counts.refused += 1;
    onRefused?.({ line, faults });
  };

  const run = async (write: (batch: Batch) => Promise<Outcome[]>) => {
    let batch: { kind: Kind; lines: { line: number; value: never }[] } | undefined;
    const flush = async () => {
      if (batch === undefined || batch.lines.length === 0) return;
      const results = await write(batch);
      for (const [at, outcome] of results.entries()) {
        if (typeof outcome === 'string') counts[outcome] += 1;
        else refuse(batch.lines[at]!.line, outcome);
      }
      batch = undefined;
      onProgress?.({ ...counts });
    };
    for await (const entry of lines) {
      counts.lines += 1;
      const parsed = parse(entry);
      if (!('kind' in parsed)) {
        refuse(entry.line, parsed);
        continue;
      }
      const key = keyOf(parsed.kind, parsed.value);
      const earlier = seen.get(key);
      if (earlier !== undefined) {
        refuse(entry.line, whole(`stands on line ${earlier} already`));
        continue;
      }
      seen.set(key, entry.line);
      if (batch !== undefined && batch.kind !== parsed.kind) await flush();
      batch ??= { kind: parsed.kind, lines: [] };
      batch.lines.push({ line: entry.line, value: parsed.value as never });
      if (batch.lines.length === BATCH) await flush();
    }
    await flush();
  };

  if (dryRun) {
    await inTransaction(sql, async (tx) => {
      await run((batch) =>
        batch.kind === 'customer_product' ? tryBatch(tx, batch, models) : writeBatch(tx, batch, models),
      );
      throw new OnlyTried();
    }).catch(rethrowUnlessTried);
  } else {
    await run((batch) => inTransaction(sql, (tx) => writeBatch(tx, batch, models)));
    catalogCache(sql).distrust();
  }
  onProgress?.({ ...counts });
  return counts;
}
