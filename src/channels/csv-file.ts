import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { CsvError, readCsv } from '../platform/csv';
import { cleanText, cutText } from '../platform/domain/foreign-text';
import type { ArrivedOrder } from './adapter';
import { type CsvRaw, type CsvSettings, cellOf, csvOrder, NUMBERS, revisionOf } from './domain/csv-order';
import { type Decimal, decimalOf, decimalOfAll } from './domain/decimals';
import type { Reason } from './domain/reasons';

/** Bytes that are decoded and read before others have a turn. */
const SLICE_BYTES = 64 * 1_024;
const MOST_COLUMNS = 500;
/** Longest external id, in characters. The API refuses references of more than 100. */
const ID_LENGTH = 200;
/** The column that `…/errors` adds. It is no part of an order when the file is sent again. */
export const ERROR_COLUMN = 'error';

interface CsvFormat {
  readonly encoding: 'utf-8' | 'windows-1252' | 'utf-16le';
  readonly delimiter: ',' | ';' | '\t';
}

/** What a first pass finds in a file. */
export interface CsvSurvey extends CsvFormat {
  readonly header: readonly string[];
  readonly rows: number;
  readonly decimal: Decimal | null;
  /** Line of the last row of each order, by its external id. */
  readonly lastLines: ReadonlyMap<string, number>;
}

/** A file that is not read at all. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly finding: Reason;
  constructor(message: string, line: number | null) {
    super(message);
    this.finding = { code: 'row', field: null, message, line };
  }
}

/** Returns how a file is written: its encoding by its bytes, and the delimiter that its first line has most of. */
function formatOf(content: Buffer): CsvFormat {
  const isUtf16 = content[0] === 0xff && content[1] === 0xfe;
  const encoding = isUtf16 ? 'utf-16le' : isUtf8(content) ? 'utf-8' : 'windows-1252';
  const start = new TextDecoder(encoding).decode(content.subarray(0, SLICE_BYTES));
  const [line = ''] = start.replace(/"[^"]*"/g, '').split(/\r?\n/);
  const count = (delimiter: string) => line.split(delimiter).length;
  const [delimiter] = ([',', ';', '\t'] as const).toSorted((a, b) => count(b) - count(a));
  return { encoding, delimiter: delimiter! };
}

async function* textOf(content: Buffer, { encoding }: CsvFormat): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for (let from = 0; from < content.length; from += SLICE_BYTES) {
    await nextTurn();
    yield decoder.decode(content.subarray(from, from + SLICE_BYTES), { stream: true });
  }
  yield decoder.decode();
}

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');

/** @throws FileRefused for text that is not CSV */
async function* rowsOf(content: Buffer, format: CsvFormat) {
  try {
    for await (const row of readCsv(textOf(content, format), format.delimiter)) if (!isBlank(row.cells)) yield row;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new FileRefused(`The file is damaged or was cut: ${error.message}.`, error.line);
  }
}

/** Returns the cells of a row by their columns, without empty ones. */
function fieldsOf(header: readonly string[], cells: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    header.flatMap((column, index) => {
      const cell = cells[index] ?? '';
      return column === '' || column === ERROR_COLUMN || cell.trim() === '' ? [] : [[column, cleanText(cell)]];
    }),
  );
}

/** Returns the external id of a row. One without a reference is an order of its own, which waits. */
function idOf(settings: CsvSettings, fields: Record<string, string>, fileName: string, line: number): string {
  return cutText(cellOf(settings, fields, 'orderReferenceId') ?? `line ${line} of ${fileName}`, ID_LENGTH);
}

/**
 * Reads a file once, without keeping its rows.
 * @throws FileRefused for a file that was cut or is not CSV, and for a header without the reference of the order
 */
export async function surveyFile(content: Buffer, settings: CsvSettings, fileName: string): Promise<CsvSurvey> {
  const format = formatOf(content);
  let header: string[] | undefined;
  let rows = 0;
  let last = { line: 1, length: 0 };
  const lastLines = new Map<string, number>();
  const decimals = new Set<ReturnType<typeof decimalOf>>();
  for await (const { line, cells } of rowsOf(content, format)) {
    if (header === undefined) {
      header = cells.map((name) => cleanText(name).trim());
      refuseHeader(header, settings);
      continue;
    }
    rows += 1;
    last = { line, length: cells.length };
    const fields = fieldsOf(header, cells);
    lastLines.set(idOf(settings, fields, fileName, line), line);
    for (const name of NUMBERS) {
      const cell = cellOf(settings, fields, name);
      if (cell !== undefined) decimals.add(decimalOf(cell));
    }
  }
  if (header === undefined) throw new FileRefused('The file is empty.', null);
  if (rows > 0 && last.length < header.length) {
    const message = `The last row has ${last.length} cells instead of ${header.length}: the file was cut.`;
    throw new FileRefused(message, last.line);
  }
  return { ...format, header, rows, lastLines, decimal: decimalOfAll(decimals) };
}

function refuseHeader(header: readonly string[], settings: CsvSettings): void {
  const named = header.filter((name) => name !== '');
  const repeated = named.find((name, index) => named.indexOf(name) < index);
  if (repeated !== undefined) throw new FileRefused(`Two columns have the name "${cutText(repeated, 100)}".`, 1);
  if (named.length > MOST_COLUMNS) throw new FileRefused(`The file has more than ${MOST_COLUMNS} columns.`, 1);
  const cells = Object.fromEntries(named.map((name) => [name, name]));
  if (cellOf(settings, cells, 'orderReferenceId') === undefined)
    throw new FileRefused('No column has the reference of the order (`orderReferenceId`).', 1);
}

/**
 * Yields the orders of a file, each when its last row is read. Only rows of orders that are not complete are kept.
 * @throws FileRefused
 */
export async function* ordersOf(
  content: Buffer,
  survey: CsvSurvey,
  settings: CsvSettings,
  file: { readonly id: string; readonly name: string },
): AsyncGenerator<ArrivedOrder> {
  const { header, lastLines, decimal } = survey;
  const begun = new Map<string, CsvRaw['lines'][number][]>();
  let isHeader = true;
  for await (const { line, cells } of rowsOf(content, survey)) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const fields = fieldsOf(header, cells);
    const externalId = idOf(settings, fields, file.name, line);
    const fault = `The row has ${cells.length} cells, and the header ${header.length} columns.`;
    const lines = begun.get(externalId) ?? [];
    lines.push({ line, fields, ...(cells.length === header.length ? {} : { fault }) });
    begun.set(externalId, lines);
    if (lastLines.get(externalId) !== line) continue;
    begun.delete(externalId);
    yield arrivedOrder({ decimal, lines }, settings, externalId, file.id);
  }
}

function arrivedOrder(raw: CsvRaw, settings: CsvSettings, externalId: string, fileId: string): ArrivedOrder {
  const { order, canceled, lines, reasons } = csvOrder(raw, settings);
  // Columns that no field is read from, such as a status of the shop, and the place in the file are no content.
  const content = [
    order,
    canceled,
    lines.map(({ line: _, fields: __, ...line }) => line),
    reasons.map((one) => one.message),
  ];
  const revisions = raw.lines.map(({ fields }) => cellOf(settings, fields, 'revision'));
  return {
    externalId,
    revision: revisionOf(revisions.find((cell) => cell !== undefined)) ?? 0,
    contentSha256: createHash('sha256').update(JSON.stringify(content)).digest(),
    raw,
    fileId,
  };
}

const FORMULA = /^[=+\-@\t\r]/;
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/**
 * Yields a file with a column `error`, in UTF-8. The other cells are as they were sent.
 * @param errors what is wrong with each line
 */
export async function* withErrors(content: Buffer, errors: ReadonlyMap<number, string>): AsyncGenerator<string> {
  const format = formatOf(content);
  yield '\uFEFF';
  let isHeader = true;
  for await (const { line, cells } of readCsv(textOf(content, format), format.delimiter)) {
    const error = isHeader ? ERROR_COLUMN : (errors.get(line) ?? '');
    isHeader = false;
    yield `${[...cells, FORMULA.test(error) ? `'${error}` : error].map(quoted).join(format.delimiter)}\r\n`;
  }
}

/** Rows with errors that one response has. */
const LISTED_ROWS = 100;

export const rowsSchema = z
  .object({
    columns: z.array(z.string()).describe('The header of the file.'),
    rows: z.array(z.object({ line: z.int(), cells: z.array(z.string()), error: z.string() })),
  })
  .meta({ id: 'ChannelFileRows' });

/** Returns the first rows of a file that have errors, as they were sent. Of a file that was cut those before the end. */
export async function rowsWithErrors(content: Buffer, errors: ReadonlyMap<number, string>) {
  const found: z.output<typeof rowsSchema> = { columns: [], rows: [] };
  try {
    for await (const { line, cells } of rowsOf(content, formatOf(content))) {
      const error = errors.get(line);
      if (found.columns.length === 0) found.columns.push(...cells.map((name) => cleanText(name).trim()));
      else if (error !== undefined) found.rows.push({ line, cells: [...cells], error });
      if (found.rows.length === LISTED_ROWS) break;
    }
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
  }
  return found;
}
