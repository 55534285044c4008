import { z } from 'zod';
import { fromMinor } from '../../platform/domain/money';
import { hasShipped, type ItemStatus } from '../domain/lifecycle/statuses';
import { parcelSchema, parcelView } from '../domain/planned-parcel';
import { type PrintOrderPlan, type ShipmentPlan, storedPlan } from '../planning/shipment-plan';
import type { OrderRecord, PackedUnits, PrintOrderRecord, ShipmentRecord } from './order-reader';

export const shipmentSchema = z
  .object({
    id: z.string(),
    orderProductId: z.null(),
    shippingAddressId: z.string(),
    promiseUid: z.string(),
    packageCount: z.int(),
    shipmentMethodUid: z.string(),
    shipmentMethodName: z.string(),
    isCheapest: z.boolean(),
    minDeliveryDays: z.int(),
    maxDeliveryDays: z.int(),
    minDeliveryDate: z.iso.date(),
    maxDeliveryDate: z.iso.date(),
    initialMinDeliveryDate: z.iso.date(),
    initialMaxDeliveryDate: z.iso.date(),
    totalWeight: z.number().describe('Grams, packaging included.'),
    price: z.number(),
    status: z.string(),
    packages: z.array(
      z.object({
        printOrderId: z.string(),
        packageReferenceId: z
          .string()
          .nullable()
          .describe('As on the label. Null for a parcel with the partner’s own tracking code.'),
        items: z
          .array(z.object({ itemReferenceId: z.string(), quantity: z.int() }))
          .readonly()
          .describe('The units in the parcel. Units that were cancelled or rerouted are left out.'),
        trackingCode: z.string(),
        trackingUrl: z.string().nullable(),
        shipmentMethodUid: z.string(),
        shipmentMethodName: z.string(),
        fulfillmentCountry: z.string(),
        fulfillmentFacilityId: z.string(),
      }),
    ),
    plannedPackages: z
      .array(parcelSchema.extend({ printOrderId: z.string() }))
      .describe('What `price` is for. Parcels that have left before a change of address or method are left out.'),
    trackingFollowed: z
      .boolean()
      .nullable()
      .describe(
        'False when the partner shipped with a carrier that Pressline does not know: the order stays `shipped`. Null before a ' +
          'parcel has shipped.',
      ),
    fulfillmentCountry: z.string(),
    fulfillmentFacilityId: z.string().describe('Tells facilities apart. It does not name the print partner.'),
    retailShippingPriceInclVat: z.number().nullable(),
    serviceType: z.string(),
    speedType: z.string(),
  })
  .meta({ id: 'Shipment' });

const least = (days: readonly string[]) => days.reduce((a, b) => (a < b ? a : b));
const greatest = (days: readonly string[]) => days.reduce((a, b) => (a > b ? a : b));

/**
 * Returns the print orders that the order consists of: cancelled and rerouted ones do not count. When all are cancelled,
 * returns the last ones, which no other print order replaces.
 */
export function livePrintOrders({ printOrders }: Pick<OrderRecord, 'printOrders'>): readonly PrintOrderRecord[] {
  const live = printOrders.filter(({ status }) => status !== 'cancelled');
  if (live.length > 0) return live;
  const replaced = new Set(printOrders.map(({ reproducesId }) => reproducesId));
  return printOrders.filter(({ id }) => !replaced.has(id));
}

/** Returns one shipment for all live print orders: the sums of packages, weight and price, and the widest span of dates. */
export function shipmentView(order: OrderRecord) {
  const live = new Map(livePrintOrders(order).map((printOrder) => [printOrder.id, printOrder]));
  const shipments = order.shipments.filter(({ printOrderId }) => live.has(printOrderId));
  // The method of what has not left. After the last parcel, of the first one.
  const first = shipments.find(({ printOrderId }) => !hasDeparted(live.get(printOrderId)!)) ?? shipments[0];
  if (first === undefined) return null;
  const references = new Map(order.items.map(({ id, itemReferenceId }) => [id, itemReferenceId]));
  const all = <K extends keyof ShipmentRecord>(key: K) => shipments.map((shipment) => shipment[key]);
  const sum = (key: 'packageCount' | 'totalWeightGrams' | 'priceMinor') => all(key).reduce((a, b) => a + b, 0);
  return {
    id: first.id,
    orderProductId: null,
    shippingAddressId: order.shippingAddress.id,
    promiseUid: first.id,
    packageCount: sum('packageCount'),
    shipmentMethodUid: first.shipmentMethodUid,
    shipmentMethodName: first.shipmentMethodName,
    isCheapest: all('isCheapest').every(Boolean),
    minDeliveryDays: Math.min(...all('minDeliveryDays')),
    maxDeliveryDays: Math.max(...all('maxDeliveryDays')),
    minDeliveryDate: least(all('minDeliveryDate')),
    maxDeliveryDate: greatest(all('maxDeliveryDate')),
    initialMinDeliveryDate: least(all('initialMinDeliveryDate')),
    initialMaxDeliveryDate: greatest(all('initialMaxDeliveryDate')),
    totalWeight: sum('totalWeightGrams'),
    price: fromMinor(sum('priceMinor'), first.currency),
    status: SHIPMENT_STATUS[order.fulfillmentStatus] ?? 'pending',
    packages: shipments.flatMap((shipment) =>
      packagesOf(shipment, live.get(shipment.printOrderId)!, (itemId) => references.get(itemId)!),
    ),
    plannedPackages: shipments.flatMap(({ printOrderId, parcels, currency }) =>
      parcels.map((parcel) => ({ printOrderId, ...parcelView(parcel, currency) })),
    ),
    trackingFollowed: trackingFollowed(livePrintOrders(order), shipments),
    fulfillmentCountry: first.fulfillmentCountry,
    fulfillmentFacilityId: first.fulfillmentFacilityId,
    retailShippingPriceInclVat: order.retailShippingPrice === null ? null : Number(order.retailShippingPrice),
    serviceType: first.serviceType,
    speedType: first.serviceType === 'express' ? 'express' : 'normal',
  };
}

function hasDeparted({ jobs }: PrintOrderRecord): boolean {
  const live = jobs.filter(({ status }) => status !== 'cancelled' && status !== 'superseded');
  return live.length > 0 && live.every(({ status }) => hasShipped(status as ItemStatus));
}

/** Returns the shipment that an order has after some of its print orders have got new plans. The initial dates stay. */
export function replannedShipmentView(order: OrderRecord, plans: readonly PrintOrderPlan[]) {
  const shipments = order.shipments.map((shipment) => {
    const replanned = plans.find(({ printOrderId }) => printOrderId === shipment.printOrderId);
    return replanned === undefined ? shipment : { ...shipment, ...storedPlan(replanned.plan) };
  });
  return shipmentView({ ...order, shipments });
}

/** Returns the fields of a shipment that are known before the order is planned, from the plans that it would have now. */
export function expectedShipmentView(plans: readonly ShipmentPlan[]) {
  const [first] = plans;
  if (first === undefined) throw new Error('an order has at least one plan');
  return {
    shipmentMethodUid: first.method.methodUid,
    shipmentMethodName: first.method.methodName,
    fulfillmentCountry: first.fulfillmentCountry,
    fulfillmentFacilityId: first.fulfillmentFacilityId,
    packageCount: plans.reduce((sum, { packageCount }) => sum + packageCount, 0),
    initialMinDeliveryDate: least(plans.map(({ minDeliveryDate }) => minDeliveryDate)),
    initialMaxDeliveryDate: greatest(plans.map(({ maxDeliveryDate }) => maxDeliveryDate)),
    serviceType: first.method.serviceType,
  };
}

const SHIPMENT_STATUS: Readonly<Record<string, string>> = {
  shipped: 'shipped',
  in_transit: 'in_transit',
  delivered: 'delivered',
  returned: 'returned',
  canceled: 'canceled',
  failed: 'canceled',
};

/** Returns whether a carrier follows every parcel that has shipped. Null before the first parcel ships. */
function trackingFollowed(
  printOrders: readonly PrintOrderRecord[],
  shipments: readonly ShipmentRecord[],
): boolean | null {
  const shipped = printOrders.flatMap(({ id, jobs }) =>
    jobs
      .filter(({ status }) => hasShipped(status as ItemStatus))
      .map((job) => ({ job, shipment: shipments.find(({ printOrderId }) => printOrderId === id) })),
  );
  if (shipped.length === 0) return null;
  return shipped.every(({ job, shipment }) => {
    const hasLabel = job.ownParcels.length === 0 && (shipment?.packages.length ?? 0) > 0;
    return hasLabel || shipment?.trackingFollowed === true;
  });
}

/**
 * Returns the parcels of a print order with the units in each: its labels, and the parcels that the partner shipped with
 * its own tracking code. A parcel that left before a change of address or method keeps its method.
 * @param referenceOf returns the reference of an item by its id
 */
function packagesOf(shipment: ShipmentRecord, printOrder: PrintOrderRecord, referenceOf: (itemId: string) => string) {
  const { printOrderId, shipmentMethodUid, shipmentMethodName, fulfillmentCountry, fulfillmentFacilityId } = shipment;
  const parcel = (
    packageReferenceId: string | null,
    items: readonly PackedUnits[],
    trackingCode: string,
    trackingUrl: string | null,
    methodUid: string | null,
    methodName: string | null,
  ) => ({
    printOrderId,
    packageReferenceId,
    items,
    trackingCode,
    trackingUrl,
    shipmentMethodUid: methodUid ?? shipmentMethodUid,
    shipmentMethodName: methodName ?? shipmentMethodName,
    fulfillmentCountry,
    fulfillmentFacilityId,
  });
  const jobs = printOrder.jobs.filter(({ status }) => status !== 'cancelled' && status !== 'superseded');
  const labels = shipment.packages.map((label) => {
    const inside = jobsOf(label.shipmentId, jobs);
    const unitsOf = (some: PrintOrderRecord['jobs']) => {
      const references = new Set(some.map(({ itemId }) => referenceOf(itemId)));
      return label.items.filter(({ itemReferenceId }) => references.has(itemReferenceId));
    };
    // Once a part of a package has left, the rest may travel in another one.
    const left = unitsOf(inside.filter(({ status }) => hasShipped(status as ItemStatus)));
    const items = left.length > 0 ? left : unitsOf(inside);
    const { packageReferenceId, trackingNumber, trackingUrl, methodUid, methodName } = label;
    return parcel(packageReferenceId, items, trackingNumber, trackingUrl, methodUid, methodName);
  });
  const own = new Map<string, ReturnType<typeof parcel>>();
  for (const job of jobs.filter(({ status }) => hasShipped(status as ItemStatus))) {
    // The codes of the whole print order are those of every job without a code or a label of its own.
    const codes = job.ownParcels.length > 0 || labels.length > 0 ? job.ownParcels : shipment.ownParcels;
    for (const { trackingCode, trackingLink } of codes) {
      const units = { itemReferenceId: referenceOf(job.itemId), quantity: job.quantity };
      const items = [...(own.get(trackingCode)?.items ?? []), units];
      const { departedMethodUid, departedMethodName } = job;
      own.set(trackingCode, parcel(null, items, trackingCode, trackingLink, departedMethodUid, departedMethodName));
    }
  }
  return [...own.values(), ...labels];
}

/** Returns the jobs that travel with the labels of a shipment: those that left with it, else all that left with none. */
function jobsOf(shipmentId: string, jobs: PrintOrderRecord['jobs']): PrintOrderRecord['jobs'] {
  const departed = jobs.filter(({ departedShipmentId }) => departedShipmentId === shipmentId);
  if (departed.length > 0) return departed;
  return jobs.filter(({ ownParcels, departedMethodUid }) => ownParcels.length === 0 && departedMethodUid === null);
}
