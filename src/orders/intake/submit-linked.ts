import { json, type Transaction } from '../../platform/postgres';
import type { RequestedBy } from '../domain/lifecycle/requests';
import type { RunSettings } from '../run/settings';
import { submitWith } from './submit';

/**
 * Submits an order that an operator makes from another one. The logs of both have the other's id, and who has requested it.
 * @param events types of the entries of the first order and of the new one
 */
export async function submitLinked(
  tx: Transaction,
  submission: Parameters<typeof submitWith>[1],
  first: string,
  [ofFirst, ofNew]: readonly [ofFirst: string, ofNew: string],
  by: RequestedBy,
  settings: RunSettings,
) {
  const stored = await submitWith(tx, submission, settings);
  if (typeof stored === 'string') throw new Error(`a submission without a key was not stored: ${stored}`);
  await tx`
    INSERT INTO order_events (order_id, type, data)
    VALUES (${first}, ${ofFirst}, ${json(tx, { ...by, orderId: stored.id })}),
      (${stored.id}, ${ofNew}, ${json(tx, { ...by, orderId: first })})`;
  return stored;
}
