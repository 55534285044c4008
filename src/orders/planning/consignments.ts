import type { ClientSettings } from '../../accounts/clients';
import type { Consignment, ConsignmentItem, Money, PostalAddress, TaxIds } from '../../consignments/domain/consignment';
import { fallsUnderIoss } from '../../consignments/domain/customs';
import type { PackagePart } from '../../consignments/domain/package-parts';
import type { PrintOrderAddress } from '../../partners/domain/print-order';
import type { Partner } from '../../partners/partner-rows';
import { isCrossBorder, type Place } from '../../platform/domain/territories';
import { type PackedPackage, type PackItem, type Packing, packInGroups, packOrder } from '../domain/packing';
import { priceLine } from '../domain/pricing';
import { retailValue } from '../domain/retail-value';
import { vatNumberState } from '../domain/vat';
import type { ShippingAddress } from './order-schemas';
import type { RunItem, RunOrder } from './run-order';

/** Returns the delivery address of an order in the form that carriers, partners and documents use. */
export function receiverOf(address: ShippingAddress): PrintOrderAddress {
  return {
    firstName: address.firstName,
    lastName: address.lastName,
    company: address.companyName,
    addressLine1: address.addressLine1,
    addressLine2: address.addressLine2,
    city: address.city,
    postcode: address.postCode,
    state: address.state,
    country: address.country,
    email: address.email,
    phone: address.phone,
  };
}

/** Returns the tax ids of a recipient. Those of a state are stated for businesses only. */
export function taxIdsOf({ federalTaxId, stateTaxId, registrationState, isBusiness }: ShippingAddress): TaxIds {
  const federal = vatNumberState(federalTaxId) === null ? { federalTaxId } : { vatNumber: federalTaxId };
  return isBusiness === true ? { ...federal, stateTaxId, registrationState } : federal;
}

/** Returns the value of units of an item: their part of the line's retail price, otherwise their price. */
function lineValueOf(order: RunOrder, item: RunItem, units: number): Money {
  const currency = order.retailCurrency ?? order.currency;
  const retail = retailValue(item, units, currency);
  if (retail !== null) return { minor: retail, currency };
  const unitMinor = priceLine(item, order.currency, order.rates)?.unitMinor ?? 0;
  return { minor: unitMinor * units, currency: order.currency };
}

type Units = readonly { readonly itemId: string; readonly quantity: number }[];

/** Packs the units that one partner makes, by the packaging instructions that name them. */
export const packForPartner = (order: RunOrder, { country }: Pick<Partner, 'country'>, jobs: Units, packing: Packing) =>
  packOrder(packItems(order, jobs), order.packagingInstructions, { countryOfOrigin: country, packing });

/** Packs them as `packForPartner` does, and counts equal packages. */
export const packedGroups = (order: RunOrder, { country }: Pick<Partner, 'country'>, jobs: Units, packing: Packing) =>
  packInGroups(packItems(order, jobs), order.packagingInstructions, { countryOfOrigin: country, packing });

function packItems(order: RunOrder, jobs: Units): PackItem[] {
  const items = new Map(order.items.map((item) => [item.id, item]));
  return jobs.flatMap(({ itemId, quantity }) => {
    const item = items.get(itemId);
    if (item === undefined) return [];
    return [
      {
        itemReferenceId: item.itemReferenceId,
        quantity,
        product: item.product,
        value: lineValueOf(order, item, quantity),
      },
    ];
  });
}

interface PackageContents extends Pick<PackedPackage, 'packageReferenceId'> {
  readonly items: readonly Pick<ConsignmentItem, 'itemReferenceId' | 'quantity'>[];
}

/**
 * Returns the parts of a package, packed anew: the units of some items, which keep the package's reference, and the rest.
 * Null when there is no rest, or nothing else.
 * @param reference of the rest
 */
export function partsOf(
  order: RunOrder,
  partner: Pick<Partner, 'country' | 'senderAddress'>,
  { packageReferenceId, items }: PackageContents,
  { named, reference }: { readonly named: ReadonlySet<string>; readonly reference: string },
): PackagePart[] | null {
  const { true: first = [], false: rest = [] } = Object.groupBy(items, (item) => `${named.has(item.itemReferenceId)}`);
  if (first.length === 0 || rest.length === 0) return null;
  return [first, rest].map((portion) => {
    const units = portion.map(({ itemReferenceId, quantity }) => ({
      itemId: order.items.find((item) => item.itemReferenceId === itemReferenceId)!.id,
      orderItemReferenceId: itemReferenceId,
      quantity,
    }));
    // What was packed into one package fits into one.
    const instruction = { packageItems: units, packingSlip: undefined, brandedPackaging: undefined };
    const [packed] = packForPartner({ ...order, packagingInstructions: [instruction] }, partner, units, 'shared');
    const { grossWeightGrams, lengthMm, widthMm, heightMm } = packed!;
    return {
      itemReferenceIds: units.map(({ orderItemReferenceId }) => orderItemReferenceId),
      packageReferenceId: portion === first ? packageReferenceId : reference,
      ...{ grossWeightGrams, lengthMm, widthMm, heightMm },
    };
  });
}

/** Returns a package reference that none of the packages has. */
export function freeReference(packages: readonly Pick<PackedPackage, 'packageReferenceId'>[]): string {
  const numbers = packages.map(({ packageReferenceId }) => Number(packageReferenceId.replace('P-', '')));
  return `P-${Math.max(0, ...numbers) + 1}`;
}

/** Returns true when a print order lists its packages: the client gave instructions, or several packages are planned. */
export function listsPackages(order: RunOrder, packages: readonly PackedPackage[]): boolean {
  return order.packagingInstructions.length > 0 || packages.length > 1;
}

/** Returns the return address of a client's settings, or null when none is set. It has no person. */
export function returnAddressOf(
  { returnAddress }: ClientSettings,
  clientName: string,
): (PostalAddress & { readonly company: string }) | null {
  if (returnAddress == null) return null;
  return {
    company: returnAddress.companyName ?? clientName,
    addressLine1: returnAddress.addressLine1,
    addressLine2: returnAddress.addressLine2 ?? undefined,
    city: returnAddress.city,
    postcode: returnAddress.postCode,
    state: returnAddress.state ?? undefined,
    country: returnAddress.country,
    email: returnAddress.email ?? undefined,
    phone: returnAddress.phone ?? undefined,
  };
}

/** Returns the tax ids of a partner, with the client's IOSS number for goods under the IOSS. */
export const senderTaxIds = (order: RunOrder, { senderAddress }: Pick<Partner, 'senderAddress'>): TaxIds => ({
  ...senderAddress.taxIds,
  iossNumber: iossNumberOf(order, senderAddress) ?? undefined,
});

export function consignmentOf(
  order: RunOrder,
  partner: Pick<Partner, 'senderAddress' | 'country'>,
  packages: readonly PackedPackage[],
  brandName: string,
): Consignment {
  return {
    sender: {
      ...partner.senderAddress,
      taxIds: senderTaxIds(order, partner),
    },
    receiver: { ...receiverOf(order.shippingAddress), taxIds: taxIdsOf(order.shippingAddress) },
    packages,
    currency: order.currency,
    brandName,
    reference: order.orderReferenceId,
    ratesOf: order.rates.date,
  };
}

/**
 * Returns the IOSS number of goods that are sent from a place, or null when the VAT on them is not paid through the IOSS.
 * What goes to the buyer from all partners outside the EU is one consignment.
 * @param made the units of all print orders
 */
export function iossNumberOf(order: RunOrder, from: Place, made: RunOrder['made'] = order.made): string | null {
  const { iossNumber, shippingAddress: to } = order;
  const goods = (made ?? []).flatMap(({ itemId, quantity, from }) => {
    const item = order.items.find(({ id }) => id === itemId);
    return item === undefined || !isCrossBorder(from, to) ? [] : [lineValueOf(order, item, quantity)];
  });
  const isBusiness = to.isBusiness === true;
  return fallsUnderIoss({ iossNumber, isBusiness }, { from, to }, goods, order.rates) ? iossNumber : null;
}
