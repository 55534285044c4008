import { sha256 } from '../../platform/ids';
import type { Transaction } from '../../platform/postgres';
import { reserveAgain, settleReservations } from '../../procurement/reservations';
import { followPartnerTracking } from '../../shipping/tracking/tracking';
import type { RunEffect } from '../domain/lifecycle/run-events';
import { JOB_PROGRESS } from '../domain/lifecycle/run-state';
import type { RunRecord } from '../domain/run/run-record';
import { acceptAddress } from '../planning/address-checks';
import { acceptFiles } from '../planning/file-checks';
import { movePromises } from '../planning/promises';
import { refundItems, takeBackRefunds } from '../planning/receipts';
import { endReplacements } from './file-replacements';
import { removeEndedUnits, renewPapers } from './parcel-contents';

/**
 * Writes the effects of a record that are not log entries: stock, refunds, tracking codes, files and the contents of parcels. Each
 * is recognized by its print jobs when the step is written again.
 * @param replaces true when the record takes the place of later ones: what they refunded and released is taken back first
 */
export async function writeEffects(tx: Transaction, record: RunRecord, replaces: boolean): Promise<void> {
  const pick = <T extends RunEffect['type']>(type: T) =>
    record.effects.filter((effect): effect is Extract<RunEffect, { type: T }> => effect.type === type);
  const stock = {
    printed: pick('consume_stock').flatMap(({ jobs }) => jobs),
    cancelled: pick('release_stock').flatMap(({ jobIds }) => jobIds),
    reduced: pick('reduce_stock').flatMap(({ jobs }) => jobs),
  };
  if (replaces)
    await reserveAgain(tx, {
      step: `again:${record.orderId}:${record.position}:${record.version}`,
      jobs: unprinted(record),
    });
  // One call, because stock rows must be locked in one order, once in a transaction.
  if (Object.values(stock).some(({ length }) => length > 0)) await settleReservations(tx, stock);
  // Hundreds of ids are longer than a key of an index may be.
  const refunds = pick('refund').map(({ jobIds, ...refund }) => ({
    ...refund,
    orderId: record.orderId,
    step: `refund:${sha256(jobIds.join('+')).toString('base64url')}`,
    record,
  }));
  if (replaces)
    await takeBackRefunds(
      tx,
      record.orderId,
      record.follows,
      refunds.map(({ step }) => step),
    );
  for (const refund of refunds) await refundItems(tx, refund);
  for (const code of pick('tracking_code')) await storePartnerParcel(tx, code);
  for (const ended of pick('end_replacements')) await endReplacements(tx, ended);
  if (pick('accept_files').length > 0) await acceptFiles(tx, record.orderId);
  if (pick('accept_address').length > 0) await acceptAddress(tx, record.orderId);
  for (const { promises } of pick('move_promise')) await movePromises(tx, promises);
  const ended = printOrdersWithEndedUnits(record);
  if (ended.length > 0) {
    await removeEndedUnits(tx, ended);
    await renewPapers(tx, record.orderId);
  }
}

/** Returns the jobs that go on and were not printed before the record, with the units that are to be made. */
function unprinted({ snapshot, effects }: RunRecord): { id: string; units: number }[] {
  const printed = effects.flatMap((effect) => (effect.type === 'consume_stock' ? effect.jobs : [])).map(({ id }) => id);
  return snapshot.state.printOrders
    .flatMap(({ jobs }) => jobs)
    .filter(({ ended, quantity, cancelledQuantity }) => ended === null && cancelledQuantity < quantity)
    .filter(({ id, progress }) => progress < JOB_PROGRESS.printed || printed.includes(id))
    .map(({ id, quantity }) => ({ id, units: quantity }));
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

/**
 * Stores the parcel whose tracking code a partner has sent for a print job or its whole print order, and has a carrier follow it. A
 * repeated code is that of the same parcel, also when its spaces differ. A code with `shipped` replaces one that came earlier for the same jobs. A partner can repeat the tracking number of a label of ours: that is not its own code.
 */
async function storePartnerParcel(
  tx: Transaction,
  {
    printOrderId,
    jobId,
    trackingCode: sentCode,
    trackingLink,
    announced,
  }: Extract<RunEffect, { type: 'tracking_code' }>,
): Promise<void> {
  const jobIds = jobId === null ? null : [jobId];
  const ofJobs = () => tx`print_order_id = ${printOrderId} AND job_ids IS NOT DISTINCT FROM ${jobIds}::bigint[]`;
  if (sentCode === null) {
    // Of several parcels, nobody knows which one the link shows.
    await tx`
      UPDATE partner_parcels SET tracking_link = ${trackingLink}
      WHERE ${ofJobs()} AND (SELECT count(*) FROM partner_parcels WHERE ${ofJobs()}) = 1`;
    return;
  }
  const [known] = await tx<{ trackingCode: string }[]>`
    SELECT tracking_code FROM partner_parcels
    WHERE print_order_id = ${printOrderId} AND regexp_replace(tracking_code, '\\s', '', 'g') = ${sentCode.replace(/\s+/g, '')}`;
  const { trackingCode } = known ?? { trackingCode: sentCode };
  const ofSameJobs = () => tx`${ofJobs()} AND tracking_code <> ${trackingCode}`;
  if (!announced) await tx`DELETE FROM partner_parcels WHERE ${ofSameJobs()} AND announced`;
  await tx`
    INSERT INTO partner_parcels AS w (print_order_id, tracking_code, tracking_link, job_ids, announced)
    SELECT ${printOrderId}::bigint, ${trackingCode}, ${trackingLink}, ${jobIds}::bigint[], ${announced}
    WHERE NOT EXISTS (
      SELECT FROM shipment_packages k JOIN shipments h ON h.id = k.shipment_id
      WHERE h.print_order_id = ${printOrderId} AND k.tracking_number = ${trackingCode})
      AND NOT (${announced} AND EXISTS (SELECT FROM partner_parcels WHERE ${ofSameJobs()} AND NOT announced))
    ON CONFLICT (print_order_id, tracking_code) DO UPDATE SET
      tracking_link = coalesce(excluded.tracking_link, w.tracking_link), announced = w.announced AND excluded.announced,
      job_ids = CASE WHEN w.job_ids IS NOT NULL AND excluded.job_ids IS NOT NULL
        THEN ARRAY(SELECT DISTINCT id FROM unnest(w.job_ids || excluded.job_ids) id ORDER BY id) END`;
  await followPartnerTracking(tx, { printOrderId, trackingCode, trackingLink });
}
