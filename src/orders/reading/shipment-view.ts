import { fromMinor } from '../../platform/domain/money';
import { hasShipped, type ItemStatus } from '../domain/lifecycle/statuses';
import type { ShipmentPlan } from '../preparation/shipment-plan';
import type { OrderRecord, PrintOrderRecord, ShipmentRecord } from './order-reader';

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
    packages: shipments.flatMap((shipment) => packagesOf(shipment, live.get(shipment.printOrderId)!.jobs)),
    trackingFollowed: trackingFollowed(livePrintOrders(order), shipments),
    fulfillmentCountry: first.fulfillmentCountry,
    fulfillmentFacilityId: first.fulfillmentFacilityId,
    retailShippingPriceInclVat: order.retailShippingPrice === null ? null : Number(order.retailShippingPrice),
    serviceType: first.serviceType,
    speedType: first.serviceType === 'express' ? 'express' : 'normal',
  };
}

/** Returns true when every live job of the print order has shipped. */
function hasDeparted({ jobs }: PrintOrderRecord): boolean {
  const live = jobs.filter(({ status }) => status !== 'cancelled' && status !== 'superseded');
  return live.length > 0 && live.every(({ status }) => hasShipped(status as ItemStatus));
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
    const hasLabel = job.trackingCode === null && (shipment?.packages.length ?? 0) > 0;
    return hasLabel || shipment?.trackingFollowed === true;
  });
}

/**
 * Returns the parcels of a print order: its labels, and the parcels that the partner shipped with its own tracking code.
 * A parcel that left before a change of address or method keeps its method.
 */
function packagesOf(shipment: ShipmentRecord, jobs: PrintOrderRecord['jobs']) {
  const { printOrderId, shipmentMethodUid, shipmentMethodName, fulfillmentCountry, fulfillmentFacilityId } = shipment;
  const parcel = (
    packageReferenceId: string | null,
    trackingCode: string,
    trackingUrl: string | null,
    methodUid: string | null = null,
    methodName: string | null = null,
  ) => ({
    printOrderId,
    packageReferenceId,
    trackingCode,
    trackingUrl,
    shipmentMethodUid: methodUid ?? shipmentMethodUid,
    shipmentMethodName: methodName ?? shipmentMethodName,
    fulfillmentCountry,
    fulfillmentFacilityId,
  });
  const labels = shipment.packages.map((label) =>
    parcel(label.packageReferenceId, label.trackingNumber, label.trackingUrl, label.methodUid, label.methodName),
  );
  const own = new Map<string, ReturnType<typeof parcel>>();
  for (const { trackingCode: code, trackingLink, departedMethodUid, departedMethodName } of jobs)
    if (code !== null) own.set(code, parcel(null, code, trackingLink, departedMethodUid, departedMethodName));
  const { trackingCode: code, trackingLink } = shipment;
  if (labels.length === 0 && code !== null && !own.has(code)) own.set(code, parcel(null, code, trackingLink));
  return [...own.values(), ...labels];
}
