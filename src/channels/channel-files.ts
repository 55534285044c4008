import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { Refusal } from '../platform/errors';
import { foundById, uuidv7 } from '../platform/ids';
import { type IdPage, newestFirst } from '../platform/list-position';
import type { ObjectStore } from '../platform/objects/object-store';
import { inTransaction, json, type Queryable, type Sql, type Transaction, violatesUnique } from '../platform/postgres';
import type { Channel } from './channels';
import type { CsvSurvey } from './csv-file';
import { type Reason, reasonSchema } from './domain/reasons';

/** The findings that a response has. */
const LISTED_FINDINGS = 1_000;

const counts = z.object({
  rows: z.int().describe('Rows below the header.'),
  orders: z.int(),
  submitted: z.int().describe('Orders that were submitted, or would be.'),
  waiting: z.int().describe('Orders that wait in the inbox, or would.'),
  ignored: z.int().describe('Orders that were ignored, such as canceled ones.'),
  unchanged: z.int().describe('Orders that had arrived before with the same content.'),
});
type Counts = z.output<typeof counts>;

const finding = reasonSchema.extend({ externalId: z.string().nullable() }).meta({ id: 'ChannelFinding' });
export type Finding = z.output<typeof finding>;

export const channelFileSchema = z
  .object({
    id: z.string(),
    channelId: z.string(),
    name: z.string(),
    sizeBytes: z.int(),
    dryRun: z.boolean(),
    state: z
      .enum(['processing', 'done', 'refused'])
      .describe('`refused`: the file was cut or cannot be read, and none of its orders was stored.'),
    counts,
    findings: z.array(finding).describe(`The first ${LISTED_FINDINGS} of what is wrong.`),
    createdAt: timestamp,
  })
  .meta({ id: 'ChannelFile' });
export const channelFileSummarySchema = channelFileSchema.omit({ findings: true }).meta({ id: 'ChannelFileSummary' });

interface FileRow {
  readonly id: string;
  readonly channelId: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly dryRun: boolean;
  readonly objectKey: string | null;
  readonly state: 'received' | 'read' | 'refused';
  readonly counts: Partial<Counts>;
  readonly findings: readonly Finding[];
  readonly createdAt: Date;
}

const COLUMNS = 'id, channel_id, name, size_bytes, dry_run, object_key, state, counts, findings, created_at';

/**
 * Stores a file as it is sent. The content of a file that was sent before creates nothing more.
 * @param onStored is called in the transaction that stores it
 * @returns the id of the file, or of the earlier one
 * @throws Refusal `CONFLICT` for a paused channel
 */
export async function receiveFile(
  { sql, objects }: { readonly sql: Sql; readonly objects: ObjectStore },
  channel: Channel,
  { name, dryRun, body }: { readonly name: string; readonly dryRun: boolean; readonly body: Readable },
  onStored: (tx: Transaction) => Promise<void> = async () => undefined,
): Promise<string> {
  if (channel.state === 'paused') throw new Refusal('CONFLICT', { message: 'The channel is paused.' });
  const id = uuidv7();
  const objectKey = `channel-files/${id}`;
  const hash = createHash('sha256');
  const hashed = Readable.from(
    (async function* () {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    })(),
    { objectMode: false },
  );
  // First the row, so that nothing is stored that maintenance does not delete.
  await sql`
    INSERT INTO channel_files (id, channel_id, name, sha256, size_bytes, dry_run, object_key, state, findings)
    VALUES (${id}, ${channel.id}, ${name}, '', 0, ${dryRun}, ${objectKey}, 'refused', ${json(sql, [NOT_COMPLETE])})`;
  const undo = async () => {
    await objects.delete([objectKey]);
    await sql`DELETE FROM channel_files WHERE id = ${id}`;
  };
  let sha256: Buffer | undefined;
  try {
    const { size } = await objects.put(objectKey, hashed, { contentType: 'text/csv' });
    sha256 = hash.digest();
    const digest = sha256;
    await inTransaction(sql, async (tx) => {
      await tx`
        UPDATE channel_files SET sha256 = ${digest}, size_bytes = ${size}, state = 'received', findings = '[]'
        WHERE id = ${id}`;
      await onStored(tx);
    });
    return id;
  } catch (error) {
    await undo();
    if (!violatesUnique(error, 'channel_files_content')) throw error;
  }
  const [earlier] = await sql<{ id: string }[]>`
    SELECT id FROM channel_files
    WHERE channel_id = ${channel.id} AND sha256 = ${sha256!} AND NOT dry_run AND state <> 'refused'`;
  return earlier!.id;
}

const NOT_COMPLETE: Finding = {
  externalId: null,
  code: 'row',
  field: null,
  message: 'The upload was not completed.',
  line: null,
};

/** @throws Refusal `NOT_FOUND` when the channel has no such file */
export async function requireFile(sql: Queryable, channelId: string, id: string): Promise<FileRow> {
  const read = async () => {
    const [found] = await sql<FileRow[]>`
      SELECT ${sql.unsafe(COLUMNS)} FROM channel_files WHERE id = ${id} AND channel_id = ${channelId}`;
    return found;
  };
  return await foundById(id, read, 'There is no such file.');
}

const NO_COUNTS: Counts = { rows: 0, orders: 0, submitted: 0, waiting: 0, ignored: 0, unchanged: 0 };

/** Returns files with the states of their orders, without findings. */
export async function fileSummaries(sql: Queryable, files: readonly FileRow[]) {
  const states = await sql<(Pick<Counts, 'submitted' | 'waiting' | 'ignored'> & { fileId: string; left: number })[]>`
    SELECT file_id, count(*) FILTER (WHERE state = 'submitted')::int AS submitted,
      count(*) FILTER (WHERE state = 'ignored')::int AS ignored,
      count(*) FILTER (WHERE state = 'waiting' AND judged_at IS NOT NULL)::int AS waiting,
      count(*) FILTER (WHERE state = 'waiting' AND judged_at IS NULL)::int AS left
    FROM channel_orders WHERE file_id = ANY(${files.map(({ id }) => id)}::uuid[]) GROUP BY 1`;
  const byFile = new Map(states.map((found) => [found.fileId, found]));
  return files.map(({ state, counts: stored, objectKey: _, findings: __, ...file }) => {
    const counts = { ...NO_COUNTS, ...stored };
    if (state === 'refused') return { ...file, state, counts };
    if (state === 'received') return { ...file, state: 'processing' as const, counts };
    if (file.dryRun) return { ...file, state: 'done' as const, counts };
    const { submitted, waiting, ignored, left } = byFile.get(file.id) ?? { ...NO_COUNTS, left: 0 };
    const unchanged = counts.orders - submitted - waiting - ignored - left;
    const now = left > 0 ? ('processing' as const) : ('done' as const);
    return { ...file, state: now, counts: { ...counts, submitted, waiting, ignored, unchanged } };
  });
}

/** Returns a file with the states of its orders and the first findings. */
export async function fileView(sql: Queryable, file: FileRow) {
  const [summary] = await fileSummaries(sql, [file]);
  const isOfOrders = file.state === 'read' && !file.dryRun;
  return { ...summary!, findings: isOfOrders ? await findingsOf(sql, file.id, LISTED_FINDINGS) : file.findings };
}

/** Returns a page of the files of a channel, newest first. */
export async function listFiles(sql: Queryable, channelId: string, page: IdPage): Promise<FileRow[]> {
  return await sql<FileRow[]>`
    SELECT ${sql.unsafe(COLUMNS)} FROM channel_files WHERE channel_id = ${channelId} ${newestFirst(sql, page)}`;
}

async function findingsOf(sql: Queryable, fileId: string, limit: number): Promise<Finding[]> {
  const rows = await sql<{ externalId: string; reason: Reason }[]>`
    SELECT o.external_id, r.value AS reason FROM channel_orders o, jsonb_array_elements(o.reasons) AS r
    WHERE o.file_id = ${fileId} AND o.state = 'waiting' AND o.judged_at IS NOT NULL
    ORDER BY (r.value -> 'line')::int, o.id LIMIT ${limit}`;
  return rows.map(({ externalId, reason }) => ({ ...reason, externalId }));
}

/** Returns what is wrong with each line of a file, in words. A finding without a line is at the header. */
export async function errorsByLine(sql: Queryable, file: FileRow): Promise<ReadonlyMap<number, string>> {
  const found = file.dryRun || file.state === 'refused' ? file.findings : await findingsOf(sql, file.id, 1_000_000);
  const texts = Map.groupBy(found, ({ line }) => line ?? 1);
  const inWords = ({ field, message }: Finding) => (field === null ? message : `${field}: ${message}`);
  return new Map([...texts].map(([line, findings]) => [line, findings.map(inWords).join(' ')]));
}

/** @throws Refusal `DOCUMENT_DELETED` when the content of the file is no longer stored */
export async function contentOf(objects: ObjectStore, objectKey: string | null): Promise<Buffer> {
  const object = objectKey === null ? null : await objects.get(objectKey);
  if (object === null) throw new Refusal('DOCUMENT_DELETED');
  return await buffer(object.body);
}

export interface ReceivedFile {
  readonly id: string;
  readonly name: string;
  readonly objectKey: string;
}

/** Returns the files of a channel that wait to be read, oldest first. */
export async function receivedFiles(sql: Queryable, channelId: string, { dryRun }: { readonly dryRun: boolean }) {
  return await sql<ReceivedFile[]>`
    SELECT id, name, object_key FROM channel_files
    WHERE channel_id = ${channelId} AND state = 'received' AND dry_run = ${dryRun} AND object_key IS NOT NULL ORDER BY id`;
}

export async function storeSurvey(sql: Queryable, id: string, { rows, lastLines }: CsvSurvey): Promise<void> {
  await sql`UPDATE channel_files SET counts = ${json(sql, { rows, orders: lastLines.size })} WHERE id = ${id}`;
}

/** Ends the reading of a file, once. */
export async function endFile(
  sql: Queryable,
  id: string,
  end: {
    readonly state: 'read' | 'refused';
    readonly findings?: readonly (Reason & { readonly externalId?: string | null })[];
    /** Added to those of the survey. */
    readonly counts?: Partial<Counts>;
  },
): Promise<void> {
  const findings = (end.findings ?? []).slice(0, LISTED_FINDINGS).map((one) => ({ externalId: null, ...one }));
  await sql`
    UPDATE channel_files SET state = ${end.state}, findings = ${json(sql, findings)}, counts = counts || ${json(sql, end.counts ?? {})}
    WHERE id = ${id} AND state = 'received'`;
}
