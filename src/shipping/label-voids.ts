import type { CarrierAdapter, VoidOutcome } from '../carriers/carrier';
import type { Carriers } from '../carriers/carriers';
import { successorsOf } from '../consignments/domain/package-parts';
import { VOIDED_CHECK_HOURS } from '../consignments/domain/tracking-status';
import { type Fragment, inTransaction, type Sql } from '../platform/postgres';
import { progressed } from '../platform/progress';
import { underLease } from './purchase-lease';
import { endReplacements, leaseShipment, type PurchaseIntent, packageKey, type Replacing } from './purchase-rows';

/** Returns null, or the reason of the first refusal. @param positions of the packages to void. Default: all */
export async function voidPackages(
  adapter: CarrierAdapter,
  intent: Pick<PurchaseIntent, 'id' | 'attempt' | 'methodUid' | 'consignment'>,
  signal: AbortSignal,
  positions: Iterable<number> = intent.consignment.packages.keys(),
): Promise<string | null> {
  let reason: string | null = null;
  for (const index of positions) {
    signal.throwIfAborted();
    const outcome = await adapter.void({
      idempotencyKey: packageKey(intent, index),
      methodUid: intent.methodUid,
    });
    progressed();
    if (!outcome.ok) reason ??= outcome.reason;
  }
  return reason;
}

/**
 * Voids what replacements of labels have bought, which is not recorded. The labels in use stay. Requires the lease.
 * @returns null, or the reason of the first refusal
 */
export async function voidReplacements(
  sql: Sql,
  adapter: CarrierAdapter,
  shipment: PurchaseIntent,
  replacing: readonly Replacing[],
  signal: AbortSignal,
): Promise<string | null> {
  if (replacing.length === 0) return null;
  const { packages } = shipment.consignment;
  const unrecorded = replacing.flatMap(({ position, parts }) => successorsOf(packages, position, parts));
  const next = { ...shipment, consignment: { ...shipment.consignment, packages: [...packages, ...unrecorded] } };
  const reason = await voidPackages(
    adapter,
    next,
    signal,
    [...next.consignment.packages.keys()].slice(packages.length),
  );
  if (reason === null) await endReplacements(sql, shipment, replacing);
  return reason;
}

/**
 * A shipment to void: by its id, or by the idempotency key of its purchase. With `positions`, only these packages. With `keys`,
 * purchases that belong to no parcel, and replacements of labels that are not recorded.
 */
export type ToVoid =
  | { readonly shipmentId: string; readonly positions?: readonly number[] }
  | { readonly shipmentId: string; readonly keys: readonly string[] }
  | { readonly idempotencyKey: string };

/**
 * Voids every purchase that was made under a shipment's keys, recorded or not. The call is idempotent, and the shipment's key can
 * buy nothing afterwards. When only some packages are voided, the shipment stays bought. Succeeds for a shipment that does
 * not exist.
 * @param cancelled ends the call before its next call to the carrier
 * @throws CarrierUnavailable when the carrier does not respond, or a purchase has the lease; repeat the call to continue
 */
export async function voidShipment(
  { sql, carriers }: { readonly sql: Sql; readonly carriers: Carriers },
  by: ToVoid,
  cancelled?: AbortSignal,
): Promise<VoidOutcome> {
  const which = isNamed(sql, by);
  const shipment = await leaseShipment(sql, 'keys' in by ? which : sql`${which} AND status <> 'voided'`);
  if (shipment === undefined) return { ok: true };
  const adapter = carriers.forMethod(shipment.methodUid);
  if (adapter === undefined) return { ok: false, reason: `No carrier has a method ${shipment.methodUid}.` };
  const positions = 'positions' in by ? by.positions : undefined;
  return await underLease(sql, adapter, shipment, cancelled, async (signal) => {
    const { replacing, methodUid } = shipment;
    let reason = await voidReplacements(
      sql,
      adapter,
      shipment,
      replacing.filter(({ position }) => positions?.includes(position) ?? true),
      signal,
    );
    if ('keys' in by) {
      // A repeated purchase may have been recorded since the keys were found.
      const used = await keysInUse(sql, shipment);
      for (const idempotencyKey of by.keys.filter((key) => !used.has(key))) {
        const outcome = await adapter.void({ idempotencyKey, methodUid });
        if (!outcome.ok) reason ??= outcome.reason;
      }
    } else {
      reason = (await voidPackages(adapter, shipment, signal, positions)) ?? reason;
      if (reason === null && positions === undefined) await recordVoid(sql, shipment.id);
    }
    return reason === null ? { ok: true } : { ok: false, reason };
  });
}

/** Returns the keys of the packages of a shipment that travel. */
async function keysInUse(sql: Sql, shipment: PurchaseIntent): Promise<ReadonlySet<string>> {
  const rows = await sql<{ position: number }[]>`
    SELECT k.position FROM shipment_packages k JOIN shipments s ON s.id = k.shipment_id
    WHERE s.id = ${shipment.id} AND s.status = 'bought' AND k.left_out_at IS NULL`;
  return new Set(rows.map(({ position }) => packageKey(shipment, position)));
}

const isNamed = (sql: Sql, by: ToVoid): Fragment =>
  'shipmentId' in by ? sql`id = ${by.shipmentId}` : sql`idempotency_key = ${by.idempotencyKey}`;

/** Returns the order of labels. Null: those of a shipping order. */
export async function orderOfLabels(sql: Sql, labels: ToVoid): Promise<string | null> {
  const [shipment] = await sql<
    { orderId: string | null }[]
  >`SELECT order_id FROM shipments WHERE ${isNamed(sql, labels)}`;
  return shipment?.orderId ?? null;
}

async function recordVoid(sql: Sql, shipmentId: string): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`UPDATE shipments SET status = 'voided', voided_at = now() WHERE id = ${shipmentId} AND status <> 'voided'`;
    // A print partner may have used the label before it was voided, so its tracking continues at a slower pace. Labels of
    // shipping orders are tracked no more.
    await tx`
      UPDATE trackings t SET next_check_at = CASE WHEN s.print_order_id IS NULL THEN NULL
        ELSE t.next_check_at + make_interval(hours => ${VOIDED_CHECK_HOURS}) END
      FROM shipments s WHERE s.id = t.shipment_id AND s.id = ${shipmentId}`;
  });
}
