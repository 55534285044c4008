import type { Transaction } from '../../platform/postgres';
import { settleReservations } from '../../procurement/reservations';
import type { RunEffect } from '../domain/lifecycle/run-events';
import type { RunRecord } from '../domain/run/run-record';
import { acceptFiles } from '../planning/file-checks';
import { refundItems } from '../planning/receipts';
import { endReplacements } from './file-replacements';
import { removeEndedUnits } from './parcel-contents';
import { storePartnerParcel } from './partner-parcels';

/**
 * Writes the effects of a record that are not log entries: stock, refunds, tracking codes, files and the contents of parcels. Each
 * is recognized by its print jobs when the step is written again.
 */
export async function writeEffects(tx: Transaction, record: RunRecord): Promise<void> {
  const pick = <T extends RunEffect['type']>(type: T) =>
    record.effects.filter((effect): effect is Extract<RunEffect, { type: T }> => effect.type === type);
  const stock = {
    printed: pick('consume_stock').flatMap(({ jobs }) => jobs),
    cancelled: pick('release_stock').flatMap(({ jobIds }) => jobIds),
    reduced: pick('reduce_stock').flatMap(({ jobs }) => jobs),
  };
  // One call, because stock rows must be locked in one order, once in a transaction.
  if (Object.values(stock).some(({ length }) => length > 0)) await settleReservations(tx, stock);
  for (const { jobIds, ...refund } of pick('refund')) {
    await refundItems(tx, { orderId: record.orderId, step: `refund:${jobIds.join('+')}`, ...refund });
  }
  for (const code of pick('tracking_code')) await storePartnerParcel(tx, code);
  for (const ended of pick('end_replacements')) await endReplacements(tx, ended);
  if (pick('accept_files').length > 0) await acceptFiles(tx, record.orderId);
  const ended = printOrdersWithEndedUnits(record);
  if (ended.length > 0) await removeEndedUnits(tx, ended);
}

/** Log entries of steps that take units from print orders which go on. */
const TAKES_UNITS = ['reroute', 'reproduce', 'units_cancelled'];

/** Returns the print orders of which units have ended or, in this record, were taken away. */
function printOrdersWithEndedUnits({ snapshot, effects }: RunRecord): string[] {
  const takesUnits = effects.some((effect) => effect.type === 'log' && TAKES_UNITS.includes(effect.event));
  return snapshot.state.printOrders
    .filter(({ jobs }) => takesUnits || jobs.some((job) => job.ended !== null || job.cancelledQuantity > 0))
    .map(({ id }) => id);
}
