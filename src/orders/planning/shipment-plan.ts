import type { Consignment, MethodChoice, MethodQuote } from '../../consignments/domain/consignment';
import { chooseMethod } from '../../consignments/domain/method-choice';
import { localDateAndTime, workCalendar } from '../../partners/domain/calendar';
import type { Partner } from '../../partners/partner-rows';
import type { Place } from '../../platform/domain/territories';
import { uuidv7 } from '../../platform/ids';
import { columnsOf, json, type Queryable, type Statement } from '../../platform/postgres';
import type { PackedPackage } from '../domain/packing';
import { promiseDates } from '../domain/promise';
import { consignmentOf, packForPartner } from './consignments';
import type { RunOrder } from './run-order';

/** Returns the priced methods that can carry a consignment, see `Carriers.quote`. */
export type Quoter = (consignment: Consignment, choice?: MethodChoice | null) => Promise<readonly MethodQuote[]>;

/** The planned shipment of a print order: a row of `planned_shipments`. */
export interface ShipmentPlan {
  readonly method: MethodQuote;
  readonly isCheapest: boolean;
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
  const { packages, quotes } = await quoteMethods(quote, input);
  const chosen = chooseMethod(quotes, input.order.shipmentMethodUid);
  if (!chosen.ok) return chosen;
  const { price } = chosen.method;
  const method = input.order.charged ? chosen.method : { ...chosen.method, price: { ...price, minor: 0 } };
  return { ok: true, plan: planWith(method, chosen.isCheapest, packages, input) };
}

/** Returns the packages of one partner's jobs, and every method that can carry all of them. */
export async function quoteMethods(
  quote: Quoter,
  { order, partner, jobs }: Pick<PlannedJobs, 'order' | 'partner' | 'jobs'>,
): Promise<{ readonly packages: readonly PackedPackage[]; readonly quotes: readonly MethodQuote[] }> {
  const packages = packForPartner(order, partner, jobs);
  const consignment = consignmentOf(order, partner, packages, order.clientName);
  return { packages, quotes: await quote(consignment, order.shipmentMethodUid) };
}

/** Returns the plan for packages with a method: weight, delivery dates, and calendar days from today. */
export function planWith(
  method: MethodQuote,
  isCheapest: boolean,
  packages: readonly PackedPackage[],
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
    packageCount: packages.length,
    totalWeightGrams: packages.reduce((sum, { grossWeightGrams }) => sum + grossWeightGrams, 0),
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

const PLAN_COLUMNS = `carrier_uid, shipment_method_uid, shipment_method_name, service_type, is_cheapest, package_count,
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
