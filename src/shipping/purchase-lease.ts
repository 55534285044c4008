import { type CarrierAdapter, CarrierUnavailable } from '../carriers/carrier';
import type { Fragment, Queryable, Sql } from '../platform/postgres';

/**
 * The lease on a shipment: one attempt at a time calls the carrier for it. Carriers find a purchase by its key, but two
 * attempts that look at the same moment both find nothing and both buy.
 */

const LEASE_MS = 45_000;
const RENEW_MS = 5_000;
/** A call to a carrier takes at most eight seconds. None begins when the lease may end before the call. */
const LONGEST_CALL_MS = 15_000;

/** The columns that give a free lease of the row `s` to a holder. The lease of another holder stays. */
export function leaseColumns(sql: Queryable, holder: string, condition = sql`true`): Fragment {
  const isFree = sql`s.lease_until < now() AND ${condition}`;
  return sql`
    lease_holder = CASE WHEN ${isFree} THEN ${holder}::uuid ELSE s.lease_holder END,
    lease_until = CASE WHEN ${isFree} THEN ${leaseEnd(sql)} ELSE s.lease_until END`;
}

export const leaseEnd = (sql: Queryable): Fragment => sql`now() + make_interval(secs => ${LEASE_MS / 1_000})`;

/** An attempt that has asked for the lease of a shipment. */
interface Attempt {
  /** Of the shipment. */
  readonly id: string;
  readonly holder: string;
  readonly isHeld: boolean;
}

/**
 * Runs work that calls a carrier under a lease that has just been taken. Renews the lease meanwhile, and ends it.
 * @param work makes no call to the carrier after its signal aborts: the lease or the attempt has ended
 * @param cancelled ends the attempt
 * @throws CarrierUnavailable when another attempt has the lease, or it could not be renewed in time; repeat the attempt
 */
export async function underLease<T>(
  sql: Sql,
  { uid: adapterUid }: CarrierAdapter,
  { id, holder, isHeld }: Attempt,
  cancelled: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const taken = () => new CarrierUnavailable(adapterUid, 'another attempt calls the carrier');
  if (!isHeld) throw taken();
  const lost = new AbortController();
  const lose = () => lost.abort(taken());
  const setEnd = (end: Fragment) =>
    sql`UPDATE shipments SET lease_until = ${end} WHERE id = ${id} AND lease_holder = ${holder}`;
  const expireAfter = (ms: number) => setTimeout(lose, ms).unref();
  let expiry = expireAfter(LEASE_MS - LONGEST_CALL_MS);
  const renew = async () => {
    const began = performance.now();
    const renewed = await setEnd(leaseEnd(sql));
    if (renewed.count === 0) return lose();
    clearTimeout(expiry);
    expiry = expireAfter(LEASE_MS - LONGEST_CALL_MS - (performance.now() - began));
  };
  // A renewal that fails is repeated. Without one in time, the lease is lost.
  const renewal = setInterval(() => void renew().catch(() => undefined), RENEW_MS).unref();
  try {
    return await work(cancelled === undefined ? lost.signal : AbortSignal.any([lost.signal, cancelled]));
  } finally {
    clearInterval(renewal);
    clearTimeout(expiry);
    await setEnd(sql`'-infinity'`);
  }
}
