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
  /** Returns the result for people. */
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
