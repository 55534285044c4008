import { OPERATIONS } from '../../../client/operations';
import type { AnyInput, Input, OperationId } from './types';

/** Returns the address of an operation with its parameters. An undefined query parameter is left out. */
export function addressOf<K extends OperationId>(operation: K, input: Input<K>): string {
  const { params = {}, query = {} } = input as AnyInput;
  const path = OPERATIONS[operation].path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}
