import type { Carriers } from '../../carriers/carriers';
import { countOf, type MethodChoice, type MethodQuote, totalOf } from '../../consignments/domain/consignment';
import { type ChosenMethod, chooseMethod } from '../../consignments/domain/method-choice';
import { localDateAndTime, workCalendar } from '../../partners/domain/calendar';
import type { Partner } from '../../partners/partner-rows';
import type { Place } from '../../platform/domain/territories';
import { uuidv7 } from '../../platform/ids';
import { columnsOf, json, type Queryable, type Statement } from '../../platform/postgres';
import type { PackedGroup, Packing } from '../domain/packing';
import { type PlannedParcel, plannedParcels } from '../domain/planned-parcel';
import { promiseDates } from '../domain/promise';
import { consignmentOf, packedGroups } from './consignments';
import type { RunOrder } from './run-order';

export type Quoter = Carriers['quote'];

/** The planned shipment of a print order: a row of `planned_shipments`. */
export interface ShipmentPlan {
  readonly method: MethodQuote;
  readonly isCheapest: boolean;
  readonly packing: Packing;
  /** The parcels of what had not left when it was planned. Their prices add up to that of the method. */
  readonly parcels: readonly PlannedParcel[];
  readonly packageCount: number;
  readonly totalWeightGrams: number;
  readonly minDeliveryDays: number;
  readonly maxDeliveryDays: number;
  readonly minDeliveryDate: string;
  readonly maxDeliveryDate: string;
  /** Where the parcels start. */
  readonly origin: Place;
  readonly fulfillmentCountry: string;
  readonly fulfillmentState: string | null;
  readonly fulfillmentFacilityId: string;
}

export interface PrintOrderPlan {
  readonly printOrderId: string;
  readonly plan: ShipmentPlan;
}

export type PlannedShipment =
  | { readonly ok: true; readonly plan: ShipmentPlan }
  | { readonly ok: false; readonly reason: 'no_method_carries_it' | 'choice_matches_none' };

export interface PlannedJobs {
  readonly order: RunOrder;
  readonly partner: Partner;
  readonly jobs: readonly { readonly itemId: string; readonly quantity: number }[];
  readonly dispatchDate: string;
  readonly now: Date;
}

/** Packs the jobs of one partner, quotes methods, chooses one and promises delivery dates. */
export async function planShipment(quote: Quoter, input: PlannedJobs): Promise<PlannedShipment> {
  return planQuoted(await quoteMethods(quote, input), input);
}

/** Plans packages with the method that the order chooses. */
export function planQuoted({ choice, ...packed }: QuotedPackages, input: Omit<PlannedJobs, 'jobs'>): PlannedShipment {
  if (!choice.ok) return choice;
  const { price, packagesMinor } = choice.method;
  const free = { price: { ...price, minor: 0 }, packagesMinor: packagesMinor.map(() => 0) };
  const method = input.order.charged ? choice.method : { ...choice.method, ...free };
  return { ok: true, plan: planWith(method, choice.isCheapest, packed, input) };
}

/** The packages of one partner's jobs, every method that can carry all of them, and the one that the order chooses. */
export interface QuotedPackages {
  readonly packing: Packing;
  readonly packages: readonly PackedGroup[];
  readonly quotes: readonly MethodQuote[];
  readonly choice: ChosenMethod;
}

type PackedJobs = Pick<PlannedJobs, 'order' | 'partner' | 'jobs'>;

/**
 * Packs the jobs of one partner and quotes the packages. Products share packages where this saves packages, unless the
 * order's method does not carry these or is dearer for them.
 */
export async function quoteMethods(quote: Quoter, packed: PackedJobs): Promise<QuotedPackages> {
  const { shipmentMethodUid } = packed.order;
  const packings = packingsOf(packed);
  const quotes = await Promise.all(packings.map(({ consignment }) => quote(consignment, shipmentMethodUid)));
  return cheapestOf(packings, quotes, shipmentMethodUid);
}

/**
 * Returns what `quoteMethods` would, as far as it is known without a request. When a gateway may have the method that the
 * order names, the cheapest one stands for it.
 */
export function estimateMethods(carriers: Carriers, packed: PackedJobs): QuotedPackages {
  const { shipmentMethodUid, rates } = packed.order;
  const packings = packingsOf(packed);
  const quotes = packings.map(({ consignment }) => carriers.estimate(consignment, rates));
  const named = cheapestOf(packings, quotes, shipmentMethodUid);
  return named.choice.ok || carriers.isEstimateComplete ? named : cheapestOf(packings, quotes, null);
}

function packingsOf({ order, partner, jobs }: PackedJobs) {
  const packed = (packing: Packing) => ({ packing, packages: packedGroups(order, partner, jobs, packing) });
  const [shared, apart] = [packed('shared'), packed('apart')];
  const tried = countOf(shared.packages) < countOf(apart.packages) ? [shared, apart] : [apart];
  return tried.map((each) => ({
    ...each,
    consignment: consignmentOf(order, partner, each.packages, order.clientName),
  }));
}

function cheapestOf(
  packings: ReturnType<typeof packingsOf>,
  quotes: readonly (readonly MethodQuote[])[],
  choice: MethodChoice | null,
): QuotedPackages {
  const priceOf = (chosen: ChosenMethod) => (chosen.ok ? chosen.method.price.minor : Infinity);
  return packings
    .map(({ packing, packages }, index) => {
      const methods = quotes[index]!;
      return { packing, packages, quotes: methods, choice: chooseMethod(methods, choice) };
    })
    .reduce((best, each) => (priceOf(each.choice) < priceOf(best.choice) ? each : best));
}

/** Returns the plan for packages with a method: weight, delivery dates, and calendar days from today. */
export function planWith(
  method: MethodQuote,
  isCheapest: boolean,
  { packing, packages }: { readonly packing: Packing; readonly packages: readonly PackedGroup[] },
  { partner, dispatchDate, now }: Pick<PlannedJobs, 'partner' | 'dispatchDate' | 'now'>,
): ShipmentPlan {
  const calendar = workCalendar(partner.capabilities.calendar);
  const today = localDateAndTime(now, partner.capabilities.calendar.timeZone).date;
  const transit = promiseDates({
    from: dispatchDate,
    calendar,
    productionDays: { min: 0, max: 0 },
    transitDays: { min: method.minDays, max: method.maxDays },
    paddingDays: method.paddingDays,
  });
  return {
    method,
    isCheapest,
    packing,
    parcels: plannedParcels(packages, method.packagesMinor),
    packageCount: countOf(packages),
    totalWeightGrams: totalOf(packages, 'grossWeightGrams'),
    minDeliveryDays: calendarDays(today, transit.minDeliveryDate),
    maxDeliveryDays: calendarDays(today, transit.maxDeliveryDate),
    minDeliveryDate: transit.minDeliveryDate,
    maxDeliveryDate: transit.maxDeliveryDate,
    origin: partner.senderAddress,
    fulfillmentCountry: partner.country,
    fulfillmentState: partner.stateProvince,
    // Clients read it, so it is no name.
    fulfillmentFacilityId: partner.partnerId,
  };
}

function calendarDays(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

/** Returns a plan in the form of its row. */
export const storedPlan = ({ method, origin: _, ...plan }: ShipmentPlan) => ({
  ...plan,
  carrierUid: method.carrierUid,
  shipmentMethodUid: method.methodUid,
  shipmentMethodName: method.methodName,
  serviceType: method.serviceType,
  priceMinor: method.price.minor,
  currency: method.price.currency,
});

const PLAN_COLUMNS = `carrier_uid, shipment_method_uid, shipment_method_name, service_type, is_cheapest, packing, parcels, package_count,
  total_weight_grams, price_minor, currency, min_delivery_days, max_delivery_days, min_delivery_date, max_delivery_date`;

/** Returns the statement that stores plans. A print order that already has a plan keeps its initial dates. */
export function storeShipmentPlans(tx: Queryable, orderId: string, plans: readonly PrintOrderPlan[]): Statement {
  const rows = plans.map(({ printOrderId, plan }) => columnsOf({ ...storedPlan(plan), id: uuidv7(), printOrderId }));
  const columns = tx.unsafe(PLAN_COLUMNS);
  return tx`
    INSERT INTO planned_shipments (id, order_id, print_order_id, ${columns}, initial_min_delivery_date,
      initial_max_delivery_date, fulfillment_country, fulfillment_state, fulfillment_facility_id)
    SELECT id, ${orderId}, print_order_id, ${columns}, min_delivery_date, max_delivery_date, fulfillment_country,
      fulfillment_state, fulfillment_facility_id
    FROM jsonb_populate_recordset(NULL::planned_shipments, ${json(tx, rows)})
    ON CONFLICT (print_order_id) DO UPDATE SET (${columns}) = (${tx.unsafe(PLAN_COLUMNS.replace(/\w+/g, 'excluded.$&'))})`;
}
