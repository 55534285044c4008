import type { Consignment, PostalAddress } from '../consignments/domain/consignment';
import { toMinor } from '../platform/domain/money';
import { toGrams, toMillimetres } from './domain/units';
import type { QuoteRequest } from './request-schemas';

/** Trims the texts of an object. Blank texts become undefined. */
function filledIn<T extends object>(fields: T): T {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() || undefined : value,
  ]);
  return Object.fromEntries(entries) as T;
}

function party({ person, address }: QuoteRequest['sender'] | QuoteRequest['receiver']): PostalAddress {
  return filledIn({ ...person, ...address });
}

/** Converts a request of the shipping group to a consignment in grams, millimetres and minor units. */
export function consignmentFrom(request: QuoteRequest): Consignment {
  const weightUnit = request.options?.weightUnit ?? 'g';
  const dimensionUnit = request.options?.dimensionUnit ?? 'mm';
  return {
    sender: { ...party(request.sender), taxIds: request.sender.customs && filledIn(request.sender.customs) },
    receiver: {
      ...party(request.receiver),
      taxIds: request.receiver.customs && filledIn(request.receiver.customs),
    },
    packages: request.packages.map((pack) => ({
      packageReferenceId: pack.packageReferenceId,
      grossWeightGrams: toGrams(pack.grossWeight, weightUnit),
      netWeightGrams: pack.netWeight === undefined ? undefined : toGrams(pack.netWeight, weightUnit),
      volumetricWeightGrams:
        pack.volumetricWeight === undefined ? undefined : toGrams(pack.volumetricWeight, weightUnit),
      boxType: pack.boxType?.trim().toLowerCase() || undefined,
      lengthMm: toMillimetres(pack.length, dimensionUnit),
      widthMm: toMillimetres(pack.width, dimensionUnit),
      heightMm: toMillimetres(pack.height, dimensionUnit),
      items: (pack.items ?? []).map((item) => ({
        itemReferenceId: item.itemReferenceId ?? '',
        description: item.description ?? '',
        quantity: item.quantity ?? 1,
        unitValue: { minor: toMinor(item.value ?? 0, request.currency), currency: request.currency },
        unitWeightGrams: item.weight === undefined ? 0 : toGrams(item.weight, weightUnit),
        hsCode: item.hsCode?.replace(/\D/g, '') || undefined,
        countryOfOrigin: item.countryOfOrigin,
      })),
    })),
    currency: request.currency,
    brandName: request.partner?.clientName?.trim() || undefined,
    reference: request.orderReferenceId,
  };
}
