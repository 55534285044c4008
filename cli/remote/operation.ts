import { z } from 'zod';
import type { PresslineClient } from '../../client/pressline-client';
import { type Connection, RemoteFailure } from './connection';

/** One thing that the command line and the MCP server do with the API. */
export interface Operation {
  /** Words of the command, such as `order show`. The MCP tool is named `order_show`. */
  readonly command: string;
  readonly description: string;
  /** Fields that the command takes as arguments, in this order. The others are its options. */
  readonly positional: readonly string[];
  readonly input: z.ZodObject;
  /** True when it changes something. */
  readonly acts: boolean;
  run(connection: Connection, input: never): Promise<object>;
  text(result: never): string;
}

/** Defines an operation: ties the types of its input and result to its functions. */
export function operation<S extends z.ZodObject, Result extends object>(
  definition: Omit<Operation, 'input' | 'run' | 'text' | 'positional' | 'acts'> & {
    readonly positional?: readonly (keyof z.output<S> & string)[];
    readonly acts?: true;
    readonly input: S;
    run(connection: Connection, input: z.output<S>): Promise<Result>;
    text(result: Result): string;
  },
): Operation {
  return { positional: [], acts: false, ...definition } as unknown as Operation;
}

type Cell = string | number | boolean | null | undefined;

/** Returns a value for people. Times are in UTC, to the second. */
function shown(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  return (
    String(value)
      .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 $2')
      // A partner's text must not control the terminal.
      .replace(/\p{Cc}+/gu, ' ')
  );
}

/** A member of a row, or what a function returns for the row. */
type Column<Row> = (keyof Row & string) | ((row: Row) => Cell);

/** Returns a table with aligned columns: a line of headings, and one for each row. */
export function table<Row extends object>(
  rows: readonly Row[],
  columns: Readonly<Record<string, Column<Row>>>,
): string {
  if (rows.length === 0) return 'none';
  const cellOf = (row: Row, column: Column<Row>) =>
    shown(typeof column === 'function' ? column(row) : (row[column] as Cell));
  const headings = Object.keys(columns).map((heading) => heading.toUpperCase());
  const cells = [headings, ...rows.map((row) => Object.values(columns).map((column) => cellOf(row, column)))];
  const widths = headings.map((_, index) => Math.max(...cells.map((row) => row[index]!.length)));
  const line = (row: readonly string[]) => row.map((cell, index) => cell.padEnd(widths[index]!)).join('  ');
  return cells.map((row) => line(row).trimEnd()).join('\n');
}

export function facts(pairs: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n');
}

/** Returns blocks with their titles, without those of an empty list. */
export function sections(blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks)
    .filter(([, text]) => text !== 'none')
    .map(([title, text]) => (title === '' ? text : `${title}\n${text.replace(/^/gm, '  ')}`))
    .join('\n\n');
}

export const partnerField = z.string().min(1).describe('Id, uid or name of the partner.');
export const limitField = z.int().min(1).max(100).default(20).describe('Greatest number of rows.');

/** Returns the partner that a text names. @throws RemoteFailure when there is none */
export async function partnerOf(operator: PresslineClient, text: string) {
  const { partners } = await operator.listPartners();
  const found = partners.find(({ id, uid, name }) => [id, uid, name].includes(text));
  if (found !== undefined) return found;
  const names = partners.map(({ name }) => name).join(', ');
  throw new RemoteFailure(`There is no partner ${text}. Partners: ${names || 'none'}.`, 'refused');
}

/** The field that names an order. */
export const order = z
  .string()
  .min(1)
  .describe('Id or reference of the order, id of a print order, or tracking number.');

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Returns the id of the only order that a text finds. */
export async function orderIdOf(operator: PresslineClient, text: string): Promise<string> {
  if (UUID.test(text)) return text;
  const { orders } = await operator.listOperatorOrders({ query: { q: text, limit: 10 } });
  if (orders.length === 1) return orders[0]!.id;
  if (orders.length === 0) throw new RemoteFailure(`There is no order ${text}.`, 'refused');
  const found = orders.map(({ id, clientName }) => `${id} (${clientName})`).join(', ');
  throw new RemoteFailure(`Several orders match ${text}: ${found}. Give an id.`, 'refused');
}
