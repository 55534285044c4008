import type { Consignment } from '../consignments/domain/consignment';
import { FOLLOWED_DAYS } from '../consignments/domain/tracking-status';
import { ratesAt } from '../platform/exchange-rates';
import { randomToken } from '../platform/ids';
import type { Sql } from '../platform/postgres';
import { progressed } from '../platform/progress';
import {
  type BuyOutcome,
  type CarrierAdapter,
  type CarrierPurchase,
  type CarrierRefusal,
  type LabelToMake,
  type PurchaseRequest,
  quotedAt,
} from './carrier';
import { type MethodRates, packagePrice, quoteRateCard, type RateCard } from './domain/rate-card';
import { S10_SERIALS, SSCC_SERIALS, s10, sscc } from './domain/tracking-numbers';

/** Returns the sort code of an address: its country and the first three characters of its post code. */
function routingText({ country, postcode }: { country: string; postcode: string }): string {
  const area = postcode
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, 3);
  return area === '' ? country : `${country}-${area}`;
}

function missingContact(method: MethodRates, { receiver }: Consignment): string[] {
  return method.requires.filter((contact) => !receiver[contact]).map((contact) => `receiver.person.${contact}`);
}

interface PurchaseRow {
  trackingNumber: string | null;
  pageToken: string | null;
  priceMinor: string | null;
  currency: string | null;
  methodUid: string | null;
  voidedAt: Date | null;
}

/**
 * Creates a built-in carrier. It prices packages by its rate card and keeps its numbers and purchases in Postgres.
 * Its tracking events arrive at the carrier webhook, like those of a real carrier.
 * @param publicUrl base URL of the tracking pages, without a trailing slash
 */
export function createBuiltInCarrier(sql: Sql, card: RateCard, publicUrl: string): CarrierAdapter {
  return {
    uid: card.carrierUid,
    estimate: (consignment, rates) => quoteRateCard(card, consignment, rates),
    quote: async (consignment) => quoteRateCard(card, consignment, await ratesAt(sql, quotedAt(consignment))),
    buy: (request) => buy({ sql, card, publicUrl }, request),

    labelOf({ methodUid, consignment }) {
      const method = card.methods.find(({ uid }) => uid === methodUid);
      return method === undefined ? null : labelToMake(card, method, consignment);
    },

    async void({ idempotencyKey }) {
      await sql`
        INSERT INTO carrier_purchases (idempotency_key, carrier_uid, voided_at)
        VALUES (${idempotencyKey}, ${card.carrierUid}, now())
        ON CONFLICT (idempotency_key) DO UPDATE SET voided_at = coalesce(carrier_purchases.voided_at, now())`;
      return { ok: true };
    },

    // One statement for each batch.
    trackingLimits: { batch: 500, perSecond: 5_000 },
    async track(trackingNumbers) {
      const rows = await sql<{ trackingNumber: string; boughtAt: Date }[]>`
        SELECT tracking_number, bought_at FROM carrier_purchases
        WHERE carrier_uid = ${card.carrierUid} AND tracking_number = ANY(${[...trackingNumbers]}) AND voided_at IS NULL`;
      return rows.map(({ trackingNumber, boughtAt }) => ({
        trackingNumber,
        eventId: 'registered',
        statusUid: 'registered',
        message: 'Shipment data received',
        occurredAt: boughtAt.toISOString(),
        signedBy: card.carrierName,
      }));
    },
  };
}

const refuse = (refusal: CarrierRefusal): BuyOutcome => ({ ok: false, refusal });

interface BuiltIn {
  readonly sql: Sql;
  readonly card: RateCard;
  readonly publicUrl: string;
}

async function buy(
  { sql, card, publicUrl }: BuiltIn,
  { consignment, packageIndex, methodUid, idempotencyKey }: PurchaseRequest,
): Promise<BuyOutcome> {
  const method = card.methods.find(({ uid }) => uid === methodUid);
  const pack = consignment.packages[packageIndex];
  if (method === undefined || pack === undefined) {
    return refuse({
      code: 'METHOD_NOT_AVAILABLE',
      message: `${card.carrierName} has no method ${methodUid}.`,
    });
  }
  const missing = missingContact(method, consignment);
  if (missing.length > 0) {
    return refuse({
      code: 'CONTACT_REQUIRED',
      message: `${card.carrierName} ${method.name} requires the receiver’s contact data.`,
      missing,
    });
  }
  const price = packagePrice(card, method, consignment, pack, await ratesAt(sql, new Date()));
  if (price === undefined) {
    return refuse({
      code: 'PACKAGE_NOT_ACCEPTED',
      message: `${card.carrierName} ${method.name} does not carry package ${pack.packageReferenceId} from ${consignment.sender.country} to ${consignment.receiver.country}.`,
    });
  }
  let row = await findPurchase(sql, idempotencyKey);
  if (row === undefined) {
    const trackingNumber = await nextTrackingNumber(sql, card, method, consignment.sender.country);
    [row] = await sql<PurchaseRow[]>`
      INSERT INTO carrier_purchases (idempotency_key, carrier_uid, method_uid, tracking_number, page_token, price_minor, currency)
      VALUES (${idempotencyKey}, ${card.carrierUid}, ${methodUid}, ${trackingNumber}, ${randomToken(16)}, ${price}, ${consignment.currency})
      ON CONFLICT (idempotency_key) DO NOTHING
      RETURNING ${purchaseColumns(sql)}`;
    // A concurrent call with the same key was first.
    row ??= await findPurchase(sql, idempotencyKey);
  }
  if (row === undefined || row.voidedAt !== null) {
    return refuse({ code: 'PURCHASE_VOIDED', message: 'This purchase was voided.' });
  }
  return { ok: true, purchase: purchaseOf({ card, publicUrl }, row, method, consignment) };
}

const purchaseColumns = (sql: Sql) => sql`tracking_number, page_token, price_minor, currency, method_uid, voided_at`;

async function findPurchase(sql: Sql, idempotencyKey: string): Promise<PurchaseRow | undefined> {
  const [row] = await sql<PurchaseRow[]>`
    SELECT ${purchaseColumns(sql)} FROM carrier_purchases
    WHERE idempotency_key = ${idempotencyKey}`;
  return row;
}

async function nextTrackingNumber(sql: Sql, card: RateCard, method: MethodRates, country: string): Promise<string> {
  const sequence = card.kind === 'postal' ? 's10_serials' : 'sscc_serials';
  const [row] = await sql<{ serial: string }[]>`SELECT next_serial(${sequence}::text::regclass) AS serial`;
  const serial = BigInt(row!.serial);
  return card.kind === 'postal'
    ? s10(method.s10Prefix ?? 'L', Number(serial % BigInt(S10_SERIALS)), country)
    : sscc(card.gs1Prefix, Number(serial % BigInt(SSCC_SERIALS)));
}

function purchaseOf(
  { card, publicUrl }: Pick<BuiltIn, 'card' | 'publicUrl'>,
  row: PurchaseRow,
  method: MethodRates,
  consignment: Consignment,
): CarrierPurchase {
  return {
    carrierUid: card.carrierUid,
    carrierName: card.carrierName,
    methodName: method.name,
    trackingNumber: row.trackingNumber!,
    trackingUrl: `${publicUrl}/track/${row.pageToken}`,
    pageToken: row.pageToken!,
    cost: { minor: Number(row.priceMinor), currency: row.currency! },
    label: labelToMake(card, method, consignment),
    customsForm: card.kind === 'postal' ? 'postal' : 'commercial',
    tracking: 'pushed',
  };
}

function labelToMake(card: RateCard, method: MethodRates, consignment: Consignment): LabelToMake {
  return {
    kind: 'to_make',
    symbology: card.kind === 'postal' ? 'code128' : 'gs1-128',
    mark: method.mark,
    routing: routingText(consignment.receiver),
    brandAllowed: card.brandOnLabel,
  };
}

/** Days for which purchases at built-in carriers are kept: longer than a parcel is followed, or the step of a purchase repeated. */
const KEPT_DAYS = FOLLOWED_DAYS + 10;
const BATCH = 10_000;

/** Deletes old purchases at built-in carriers. Labels and tracking stay with their orders. Returns the number of deleted rows. */
export async function prunePurchases(sql: Sql): Promise<number> {
  for (let pruned = 0; ; ) {
    const { count } = await sql`
      DELETE FROM carrier_purchases WHERE idempotency_key IN (
        SELECT idempotency_key FROM carrier_purchases
        WHERE bought_at < now() - make_interval(days => ${KEPT_DAYS}) LIMIT ${BATCH})`;
    progressed();
    pruned += count;
    if (count < BATCH) return pruned;
  }
}
