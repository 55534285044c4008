import { toMinor } from '../platform/domain/money';
import type { Consignment, PostalAddress } from './domain/shipment';
import { toGrams, toMillimetres } from './domain/units';
import type { QuoteRequest } from './schemas';

function party({ person, address }: QuoteRequest['sender'] | QuoteRequest['receiver']): PostalAddress {
  return { ...person, ...address };
}

/** A request of the shipping group as a consignment: grams, millimetres, minor units. */
export function consignmentFrom(request: QuoteRequest): Consignment {
  const weightUnit = request.options?.weightUnit ?? 'g';
  const dimensionUnit = request.options?.dimensionUnit ?? 'mm';
  return {
    sender: { ...party(request.sender), taxIds: request.sender.customs },
    receiver: { ...party(request.receiver), taxIds: request.receiver.customs },
    packages: request.packages.map((pack) => ({
      packageReferenceId: pack.packageReferenceId,
      grossWeightGrams: toGrams(pack.grossWeight, weightUnit),
      lengthMm: toMillimetres(pack.length, dimensionUnit),
      widthMm: toMillimetres(pack.width, dimensionUnit),
      heightMm: toMillimetres(pack.height, dimensionUnit),
      items: (pack.items ?? []).map((item) => ({
        itemReferenceId: item.itemReferenceId ?? '',
        description: item.description ?? '',
        quantity: item.quantity ?? 1,
        unitValue: { minor: toMinor(item.value ?? 0, request.currency), currency: request.currency },
        unitWeightGrams: item.weight === undefined ? 0 : toGrams(item.weight, weightUnit),
        hsCode: item.hsCode?.replace(/\D/g, ''),
        countryOfOrigin: item.countryOfOrigin,
      })),
    })),
    currency: request.currency,
    brandName: request.partner?.clientName,
    reference: request.orderReferenceId,
  };
}
