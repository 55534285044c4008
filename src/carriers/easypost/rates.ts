import pLimit from 'p-limit';
import { type Consignment, type MethodQuote, type Money, priceOf } from '../../consignments/domain/consignment';
import { minorIn } from '../../consignments/domain/customs';
import { type RateTable, toMinor } from '../../platform/domain/money';
import { EASYPOST_UID, type EasyPostApi, type EasyPostRate, isRefusal } from './api';
import { shipmentParameters } from './parameters';

/** Transit time that is quoted when EasyPost gives none. */
const DEFAULT_DAYS = 10;

type ShipmentParameters = ReturnType<typeof shipmentParameters>;

const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '');

export function carrierUidOf({ carrier }: Pick<EasyPostRate, 'carrier'>): string {
  return slug(carrier);
}

export function methodUidOf(rate: Pick<EasyPostRate, 'carrier' | 'service'>): string {
  return `${EASYPOST_UID}_${carrierUidOf(rate)}_${slug(rate.service)}`;
}

export function carrierOfMethod(methodUid: string): string | undefined {
  return methodUid.split('_')[1];
}

/** Returns the method name of a rate: `GroundAdvantage` becomes `Ground Advantage`. */
export function methodNameOf({ service }: Pick<EasyPostRate, 'service'>): string {
  return service.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}

export function rateMoney({ rate, currency }: Pick<EasyPostRate, 'rate' | 'currency'>): Money {
  return { minor: toMinor(rate, currency), currency };
}

function quoteOf(
  rate: EasyPostRate,
  packagesMinor: readonly number[],
  { packages, currency }: Consignment,
): MethodQuote {
  const days = rate.delivery_days ?? rate.est_delivery_days ?? DEFAULT_DAYS;
  return {
    carrierUid: carrierUidOf(rate),
    carrierName: rate.carrier,
    methodUid: methodUidOf(rate),
    methodName: methodNameOf(rate),
    price: { minor: priceOf(packages, packagesMinor), currency },
    packagesMinor,
    minDays: days,
    maxDays: days,
    paddingDays: 1,
    serviceType: /express|overnight|nextday|priority/i.test(rate.service) ? 'express' : 'standard',
    tracked: true,
  };
}

/** Calls that are made at the same time. A quote has five seconds, and EasyPost takes about one for each call. */
const CONCURRENCY = 10;

/** Groups packages for which EasyPost gets equal requests, since each distinct request costs one call. */
function distinctRequests(consignment: Consignment): { request: ShipmentParameters; positions: number[] }[] {
  const groups = new Map<string, { request: ShipmentParameters; positions: number[] }>();
  for (const [position, pack] of consignment.packages.entries()) {
    const request = shipmentParameters(consignment, pack);
    const key = JSON.stringify(request);
    groups.set(key, { request, positions: [...(groups.get(key)?.positions ?? []), position] });
  }
  return [...groups.values()];
}

/**
 * Returns the methods that carry every package of a consignment, with the price of all packages. An address or
 * package that EasyPost refuses has no methods.
 * @throws CarrierUnavailable
 */
export async function quoteEasyPost(
  api: EasyPostApi,
  consignment: Consignment,
  rates: RateTable,
): Promise<MethodQuote[]> {
  const { currency } = consignment;
  const groups = distinctRequests(consignment);
  const limit = pLimit(CONCURRENCY);
  const quoted = await Promise.all(
    groups.map(({ request, positions }) => limit(async () => ({ positions, rates: await ratesFor(api, request) }))),
  );
  const methods = new Map<string, { rate: EasyPostRate; prices: ReadonlyMap<number, number> }>();
  for (const { positions, rates: offered } of quoted) {
    for (const rate of offered) {
      const price = minorIn(rateMoney(rate), currency, rates);
      if (price === null) continue;
      const prices = new Map(methods.get(methodUidOf(rate))?.prices);
      for (const position of positions) prices.set(position, price);
      methods.set(methodUidOf(rate), { rate, prices });
    }
  }
  const { packages } = consignment;
  return [...methods.values()]
    .filter(({ prices }) => prices.size === packages.length)
    .map(({ rate, prices }) => {
      const packagesMinor = packages.map((_, position) => prices.get(position)!);
      return quoteOf(rate, packagesMinor, consignment);
    });
}

async function ratesFor(api: EasyPostApi, request: ShipmentParameters): Promise<readonly EasyPostRate[]> {
  try {
    return (await api.createShipment(request))?.rates ?? [];
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}
