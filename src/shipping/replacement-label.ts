import { type CarrierAdapter, CarrierUnavailable } from '../carriers/carrier';
import { successorsOf } from '../consignments/domain/package-parts';
import { enqueueOrderNotifications } from '../notifications/enqueue';
import { inTransaction, type Sql } from '../platform/postgres';
import { DEFAULT_LABEL, labelDocument } from './document-set';
import type { LabelToReplace, ReplacedLabel } from './domain/shipping-runs';
import { voidReplacements } from './label-voids';
import { buyPackages, type PurchaseDeps, storeDocuments } from './purchase';
import { underLease } from './purchase-lease';
import {
  beginReplacement,
  endReplacements,
  type LeasedIntent,
  leaseShipment,
  recordReplacement,
} from './purchase-rows';
import { countPackages, isNotScanned, leaveOutPackages } from './shipment-transit';

const refused = (message: string): ReplacedLabel => ({ outcome: 'refused', message });
const NOT_IN_USE = refused('The label is not in use any more.');
const TRAVELS = refused('The carrier has the package already, or nothing travels in it any more.');

/**
 * Buys a new label for a package of a bought shipment, or one for each of its parts. The packages with the new labels are
 * appended to the shipment, and the one with the old label is left out, which voids that label. A label is replaced once,
 * however often the call is repeated. The row of the shipment names the replacement before it is bought: a purchase that is not
 * recorded is voided with the package or its shipment.
 * @throws CarrierUnavailable when the carrier does not respond, or another call has the lease; repeat the call to continue
 */
export async function replaceLabel(
  deps: PurchaseDeps,
  { shipmentId, position, parts }: LabelToReplace,
  cancelled?: AbortSignal,
): Promise<ReplacedLabel> {
  const { sql, carriers } = deps;
  const intent = await leaseShipment(sql, sql`id = ${shipmentId} AND status = 'bought'`);
  if (intent === undefined) return NOT_IN_USE;
  const adapter = carriers.forMethod(intent.methodUid);
  if (adapter === undefined) throw new CarrierUnavailable(intent.methodUid, 'no carrier has the method');
  return await underLease(sql, adapter, intent, cancelled, (signal) =>
    buyReplacement(deps, adapter, intent, { position, parts }, signal),
  );
}

async function buyReplacement(
  { sql, objects }: PurchaseDeps,
  adapter: CarrierAdapter,
  intent: LeasedIntent,
  { position, parts }: Omit<LabelToReplace, 'shipmentId'>,
  signal: AbortSignal,
): Promise<ReplacedLabel> {
  const former = intent.consignment.packages;
  if (former.some(({ replaces }) => replaces === position)) return { outcome: 'replaced' };
  const label = { position, ...(parts && { parts }) };
  const earlier = intent.replacing.filter((each) => each.position === position);
  const takeBack = () => voidReplacements(sql, adapter, intent, [...earlier, label], signal);
  const waiting = await sql`
    SELECT FROM shipment_packages k, trackings t
    WHERE k.shipment_id = ${intent.id} AND k.position = ${position} AND ${isNotScanned(sql)}`;
  if (waiting.length === 0) {
    // An earlier attempt may have bought a label for what is gone since.
    await voidReplacements(sql, adapter, intent, earlier, signal);
    return TRAVELS;
  }
  await beginReplacement(sql, intent, label);
  const packages = [...former, ...successorsOf(former, position, parts)];
  const next = { ...intent, consignment: { ...intent.consignment, packages } };
  const bought = await buyPackages(adapter, next, DEFAULT_LABEL, signal, former.length);
  if (!Array.isArray(bought)) {
    if (parts !== undefined) {
      await takeBack();
      await countRefusal(sql, intent.id, position);
    } else await endReplacements(sql, intent, [label]);
    return refused(bought.message);
  }
  const date = intent.startedAt.toISOString().slice(0, 10);
  const labels = bought.map((purchase, index) =>
    labelDocument(next.consignment, purchase, former.length + index, date),
  );
  const documents = await storeDocuments(objects, intent, labels);
  const replacement = { position, parts, from: former.length, purchases: bought, documents, adapterUid: adapter.uid };
  if (await record(sql, intent.id, replacement)) return { outcome: 'replaced' };
  await objects.delete(documents.map(({ objectKey }) => objectKey));
  await takeBack();
  return TRAVELS;
}

/** Has the next request buy the parts of a package under new keys. */
async function countRefusal(sql: Sql, shipmentId: string, position: number): Promise<void> {
  const path = ['packages', String(position), 'refusals'];
  await sql`
    UPDATE shipments SET consignment = jsonb_set(consignment, ${path}::text[],
      to_jsonb(coalesce((consignment #>> ${path}::text[])::int, 0) + 1))
    WHERE id = ${shipmentId}`;
}

class NotLeftOut extends Error {}

/** Records new labels and leaves out the package with the old one. Returns false when that package is not left out. */
async function record(
  sql: Sql,
  shipmentId: string,
  replacement: Parameters<typeof recordReplacement>[2],
): Promise<boolean> {
  try {
    return await inTransaction(sql, async (tx) => {
      const orderId = await recordReplacement(tx, shipmentId, replacement);
      if (orderId === undefined) return false;
      const leftOut = await leaveOutPackages(tx, [{ shipmentId, positions: [replacement.position] }]);
      if (leftOut === 0) throw new NotLeftOut();
      await countPackages(tx, [shipmentId]);
      await tx`UPDATE orders SET updated_at = now() WHERE id = ${orderId}`;
      await enqueueOrderNotifications(tx, { orderId });
      return true;
    });
  } catch (error) {
    if (error instanceof NotLeftOut) return false;
    throw error;
  }
}
