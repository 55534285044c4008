import type { z } from 'zod';
import type { Connection } from './connection';

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
