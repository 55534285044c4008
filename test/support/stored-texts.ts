import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { isGrpcServiceError } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import type { Services } from '../../cli/composition-root';
import type { Sql } from '../../src/platform/postgres';

/**
 * Returns every `table.column` that contains a text, with the text, as `table.column: text`. A text of digits, such as a post code,
 * must stand alone: times and hashes contain it by chance.
 */
export async function columnsWith(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const columns = await sql<{ table: string; column: string }[]>`
    SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
    JOIN pg_class r ON r.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
    WHERE c.table_schema = 'public' AND r.relkind IN ('r', 'p') AND NOT r.relispartition`;
  const found: string[] = [];
  for (const { table, column } of columns) {
    const rows = await sql<{ wanted: string }[]>`
      SELECT w.wanted FROM unnest(${[...texts]}::text[]) AS w (wanted)
      WHERE EXISTS (SELECT FROM ${sql(table)} t WHERE strpos(t.${sql(column)}::text, w.wanted) > 0
        AND (w.wanted !~ '^[0-9]+$' OR t.${sql(column)}::text ~ format('(^|[^0-9a-z])%s([^0-9a-z]|$)', w.wanted)))`;
    found.push(...rows.map(({ wanted }) => `${table}.${column}: ${wanted}`));
  }
  return found.sort();
}

/** Returns the texts that a file below a folder contains, as `file: text`. */
export async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((file) => file.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const content = `${path}\n${await readFile(path, 'utf8')}`;
    found.push(...texts.filter((text) => content.includes(text)).map((text) => `${path}: ${text}`));
  }
  return found;
}

/** Returns the texts in the histories of the workflows of a task queue, as `workflow id: text`. */
export async function historiesWith(
  { temporal, config }: Pick<Services, 'temporal' | 'config'>,
  texts: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for await (const run of temporal.workflow.list({ query: `TaskQueue = '${config.TEMPORAL_TASK_QUEUE}'` })) {
    const history = await temporal.workflow
      .getHandle(run.workflowId, run.runId)
      .fetchHistory()
      .catch((error: unknown) => {
        // The list follows the deletion of a workflow within a second or two.
        if (isGrpcServiceError(error) && error.code === status.NOT_FOUND) return {};
        throw error;
      });
    const bytes = Buffer.from(proto.api.history.v1.History.encode(history).finish());
    found.push(...texts.filter((word) => bytes.includes(word)).map((word) => `${run.workflowId}: ${word}`));
  }
  return found;
}
