import type { Operations } from '../../../client/operations';

/** Types of the operations of the HTTP API, which are generated from its document. */

export type OperationId = keyof Operations;
export type Input<K extends OperationId> = Operations[K]['input'];
export type ApiResponse<K extends OperationId> = Operations[K]['response'];

/** An input of any operation. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}
