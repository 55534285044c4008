import { Refusal } from '../../src/platform/errors';
import { isUnavailable, unavailable } from '../../src/platform/unavailable';

/** Maps any error to the refusal to answer with. The caller sees nothing of an unexpected error. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return isUnavailable(error) ? unavailable() : new Refusal('INTERNAL_ERROR');
}
