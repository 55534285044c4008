import { type CarrierAdapter, type CarrierPurchase, CarrierUnavailable } from '../carriers/carrier';
import type { Consignment } from '../consignments/domain/consignment';
import { enqueueOrderNotifications } from '../notifications/enqueue';
import { inTransaction, type Sql } from '../platform/postgres';
import { labelDocument } from './document-set';
import type { LabelToReplace, ReplacedLabel } from './domain/shipping-runs';
import { type PurchaseDeps, packageKey, storeDocuments } from './purchase';
import { underLease } from './purchase-lease';
import { type LeasedIntent, leaseShipment, recordReplacement, type StoredDocument } from './purchase-rows';
import { isNotScanned, leaveOutPackages } from './shipment-transit';

const refused = (message: string): ReplacedLabel => ({ outcome: 'refused', message });
const NOT_IN_USE = refused('The label is not in use any more.');
const TRAVELS = refused('The carrier has the package already, or nothing travels in it any more.');

/**
 * Buys a new label for a package of a bought shipment. The package with the new label is appended to the shipment, and the
 * one with the old label is left out, which voids that label. A label is replaced once, however often the call is repeated.
 * @throws CarrierUnavailable when the carrier does not respond, or another call has the lease; repeat the call to continue
 */
export async function replaceLabel(
  deps: PurchaseDeps,
  { shipmentId, position }: LabelToReplace,
  cancelled?: AbortSignal,
): Promise<ReplacedLabel> {
  const { sql, carriers } = deps;
  const intent = await leaseShipment(sql, sql`id = ${shipmentId} AND status = 'bought'`);
  if (intent === undefined) return NOT_IN_USE;
  const adapter = carriers.forMethod(intent.methodUid);
  if (adapter === undefined) throw new CarrierUnavailable(intent.methodUid, 'no carrier has the method');
  return await underLease(sql, adapter, intent, cancelled, (signal) =>
    buyReplacement(deps, adapter, intent, position, signal),
  );
}

async function buyReplacement(
  { sql, objects }: PurchaseDeps,
  adapter: CarrierAdapter,
  intent: LeasedIntent,
  replaces: number,
  signal: AbortSignal,
): Promise<ReplacedLabel> {
  const { packages } = intent.consignment;
  if (packages.some((pack) => pack.replaces === replaces)) return { outcome: 'replaced' };
  const waiting = await sql`
    SELECT FROM shipment_packages k, trackings t
    WHERE k.shipment_id = ${intent.id} AND k.position = ${replaces} AND ${isNotScanned(sql)}`;
  if (waiting.length === 0) return TRAVELS;
  const consignment: Consignment = {
    ...intent.consignment,
    packages: [...packages, { ...packages[replaces]!, replaces }],
  };
  const next = { ...intent, consignment };
  const position = packages.length;
  const idempotencyKey = packageKey(next, position);
  const { methodUid } = intent;
  const bought = await adapter.buy({ consignment, packageIndex: position, methodUid, idempotencyKey, signal });
  if (!bought.ok) return refused(bought.refusal.message);
  const { purchase } = bought;
  const date = intent.startedAt.toISOString().slice(0, 10);
  const label = await labelDocument(consignment, purchase, position, date);
  const [document] = await storeDocuments(objects, intent, [label]);
  if (await record(sql, next, { replaces, purchase, document: document!, adapterUid: adapter.uid })) {
    return { outcome: 'replaced' };
  }
  await objects.delete([document!.objectKey]);
  await adapter.void({ idempotencyKey, methodUid });
  return TRAVELS;
}

class NotLeftOut extends Error {}

/** Records a new label and leaves out the package with the old one. Returns false when that package is not left out. */
async function record(
  sql: Sql,
  intent: LeasedIntent,
  bought: {
    readonly replaces: number;
    readonly purchase: CarrierPurchase;
    readonly document: StoredDocument;
    readonly adapterUid: string;
  },
): Promise<boolean> {
  try {
    return await inTransaction(sql, async (tx) => {
      const orderId = await recordReplacement(tx, intent, bought);
      if (orderId === undefined) return false;
      const leftOut = await leaveOutPackages(tx, [{ shipmentId: intent.id, positions: [bought.replaces] }]);
      if (leftOut === 0) throw new NotLeftOut();
      await tx`UPDATE orders SET updated_at = now() WHERE id = ${orderId}`;
      await enqueueOrderNotifications(tx, { orderId });
      return true;
    });
  } catch (error) {
    if (error instanceof NotLeftOut) return false;
    throw error;
  }
}
