import { z } from 'zod';
import { inTransaction, type Sql, type Transaction } from '../platform/postgres';
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

/** A line that was not imported, with the reasons. */
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
  /** Check and count everything without changing the catalog. */
  readonly dryRun?: boolean;
  /** Called after every batch. */
  readonly onProgress?: (counts: ImportCounts) => void;
  /** Called for every refused line, in the order of lines within a batch. */
  readonly onRefused?: (refused: RefusedLine) => void;
}

/** Most lines in a batch. */
const BATCH_LINES = 1_000;

/** What Postgres text and jsonb cannot store: NUL and unpaired surrogates. */
const UNSTORABLE = /\\u0000|\\ud[89a-f][0-9a-f]{2}/;

interface ParsedLine {
  readonly kind: Kind;
  readonly value: unknown;
}

function parse(entry: ImportLine): ParsedLine | readonly ImportFault[] {
  if (entry.fields === null) return whole(entry.fault ?? 'cannot be read');
  const kind = (entry.fields.kind ?? 'customer_product') as Kind;
  if (!KINDS.includes(kind)) return [{ reference: 'kind', message: `is not one of ${KINDS.join(', ')}` }];
  if (UNSTORABLE.test(JSON.stringify(entry.fields))) return whole('has characters that cannot be stored');
  const parsed = LINES[kind].safeParse(entry.fields);
  if (parsed.success) return { kind, value: parsed.data };
  return parsed.error.issues.map(({ path, message }) => ({ reference: z.core.toDotPath(path), message }));
}

/** Returns the key that identifies a line within an import. */
function keyOf({ kind, value }: ParsedLine): string {
  const { id, reference, attributeId } = value as { id?: string; reference?: string; attributeId?: string };
  return `${kind}/${attributeId ?? ''}/${reference ?? id}`;
}

/** Parses, counts and batches the lines of one import. */
class ImportRun {
  readonly counts = { lines: 0, created: 0, updated: 0, unchanged: 0, refused: 0 };
  /** The line of the first occurrence of each key. */
  private readonly firstLines = new Map<string, number>();
  private batch: { kind: Kind; lines: { line: number; value: never }[] } | undefined;

  constructor(
    private readonly write: (batch: Batch) => Promise<Outcome[]>,
    private readonly options: ImportOptions,
  ) {}

  async readAll(lines: AsyncIterable<ImportLine> | Iterable<ImportLine>): Promise<void> {
    for await (const entry of lines) {
      this.counts.lines += 1;
      const parsed = parse(entry);
      if ('kind' in parsed) await this.add(entry.line, parsed);
      else this.refuse(entry.line, parsed);
    }
    await this.flush();
  }

  private async add(line: number, parsed: ParsedLine): Promise<void> {
    const key = keyOf(parsed);
    const firstLine = this.firstLines.get(key);
    if (firstLine !== undefined) {
      this.refuse(line, whole(`repeats line ${firstLine}`));
      return;
    }
    this.firstLines.set(key, line);
    if (this.batch !== undefined && this.batch.kind !== parsed.kind) await this.flush();
    this.batch ??= { kind: parsed.kind, lines: [] };
    this.batch.lines.push({ line, value: parsed.value as never });
    if (this.batch.lines.length === BATCH_LINES) await this.flush();
  }

  private async flush(): Promise<void> {
    const { batch } = this;
    if (batch === undefined) return;
    for (const [at, outcome] of (await this.write(batch)).entries()) {
      if (typeof outcome === 'string') this.counts[outcome] += 1;
      else this.refuse(batch.lines[at]!.line, outcome);
    }
    this.batch = undefined;
    this.options.onProgress?.({ ...this.counts });
  }

  private refuse(line: number, faults: readonly ImportFault[]): void {
    this.counts.refused += 1;
    this.options.onRefused?.({ line, faults });
  }
}

/** Thrown at the end of a dry run to roll its transaction or savepoint back. */
export class DryRunRollback extends Error {}

export function rethrowUnlessRollback(error: unknown): void {
  if (!(error instanceof DryRunRollback)) throw error;
}

/** Returns the outcomes of a batch and rolls its writes back, which also releases their row locks. */
async function tryBatch(tx: Transaction, batch: Batch, models: KnownModels): Promise<Outcome[]> {
  let outcomes: Outcome[] = [];
  await tx
    .savepoint(async (nested) => {
      outcomes = await writeBatch(nested as unknown as Transaction, batch, models);
      throw new DryRunRollback();
    })
    .catch(rethrowUnlessRollback);
  return outcomes;
}

/**
 * Imports attributes, attribute values, product models and customer products under the rules of the API. Creates what
 * is new and replaces what differs; equal lines change nothing; invalid lines are reported and skipped. A customer
 * product is identified by its `reference` and belongs to the operators.
 *
 * Writes batches of 1,000 lines, each in its own transaction, so that an interrupted import can be started again. A dry
 * run is one transaction that is rolled back. No other line depends on customer products, so a dry run rolls those back
 * after every batch: others can create customer products while thousands of lines are checked.
 */
export async function importCatalog(
  sql: Sql,
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
  options: ImportOptions = {},
): Promise<ImportCounts> {
  const models: KnownModels = new Map();
  let run: ImportRun;
  if (options.dryRun) {
    await inTransaction(sql, async (tx) => {
      run = new ImportRun(
        (batch) => (batch.kind === 'customer_product' ? tryBatch(tx, batch, models) : writeBatch(tx, batch, models)),
        options,
      );
      await run.readAll(lines);
      throw new DryRunRollback();
    }).catch(rethrowUnlessRollback);
  } else {
    run = new ImportRun((batch) => inTransaction(sql, (tx) => writeBatch(tx, batch, models)), options);
    await run.readAll(lines);
  }
  options.onProgress?.({ ...run!.counts });
  return run!.counts;
}
