import type { Consignment, ConsignmentPackage, PostalAddress, TaxIds } from '../../consignments/domain/consignment';
import { isCrossBorder } from '../../consignments/domain/cross-border';
import { lineValue } from '../../consignments/domain/customs';
import { withoutEmoji } from '../../consignments/domain/text-without-emoji';
import { cutText } from '../../platform/domain/foreign-text';
import { fromMinor } from '../../platform/domain/money';

const GRAMS_PER_OUNCE = 28.349523125;
const ounces = (grams: number) => Number((grams / GRAMS_PER_OUNCE).toFixed(2));
const inches = (mm: number) => Number((mm / 25.4).toFixed(2));

/** Returns text as EasyPost's carriers can print it, or undefined when nothing is left. */
const printed = (...parts: readonly (string | undefined)[]) =>
  withoutEmoji(parts.filter(Boolean).join(' ')) || undefined;

function address(party: PostalAddress) {
  const street2 = [party.addressLine2, party.addressLine3, party.suburb].filter(Boolean).join(', ');
  return {
    name: printed(party.firstName, party.lastName),
    company: printed(party.company),
    street1: printed(party.addressLine1),
    street2: printed(street2),
    city: printed(party.city),
    state: printed(party.state),
    zip: party.postcode,
    country: party.country,
    phone: party.phone,
    email: party.email,
  };
}

/** Null: carriers have no type for it. `FED`, `STA` and `CNP` (Brazil) are types of DHL Express. */
const TAX_ID_TYPES: Readonly<Record<keyof TaxIds, string | null>> = {
  vatNumber: 'VAT',
  federalTaxId: 'FED',
  stateTaxId: 'STA',
  registrationState: null,
  eoriNumber: 'EORI',
  iossNumber: 'IOSS',
  pcccNumber: 'PCCC',
  australianBusinessNumber: 'ABN',
};

function taxIdentifiers({ sender, receiver }: Consignment) {
  return (
    [
      ['SENDER', sender],
      ['RECEIVER', receiver],
    ] as const
  ).flatMap(([entity, party]) =>
    (Object.keys(TAX_ID_TYPES) as (keyof TaxIds)[]).flatMap((key) => {
      const taxId = party.taxIds?.[key];
      const type = key === 'federalTaxId' && party.country === 'BR' ? 'CNP' : TAX_ID_TYPES[key];
      return taxId && type !== null
        ? [{ entity, tax_id: taxId, tax_id_type: type, issuing_country: party.country }]
        : [];
    }),
  );
}

function customsInfo(consignment: Consignment, pack: ConsignmentPackage) {
  const { sender, receiver } = consignment;
  if (!isCrossBorder(sender.country, receiver.country)) return undefined;
  return {
    contents_type: 'merchandise',
    customs_certify: true,
    customs_signer: printed(sender.firstName, sender.lastName) ?? printed(sender.company),
    restriction_type: 'none',
    eel_pfc: 'NOEEI 30.37(a)',
    customs_items: pack.items.map((item) => ({
      description: withoutEmoji(item.description),
      quantity: item.quantity,
      value: fromMinor(lineValue(item).minor, item.unitValue.currency),
      currency: item.unitValue.currency,
      weight: ounces(item.unitWeightGrams * item.quantity),
      hs_tariff_number: item.hsCode,
      origin_country: item.countryOfOrigin,
    })),
  };
}

/** Returns the request for a shipment of one package: addresses, customs data across a customs border, label size. */
export function shipmentParameters(
  consignment: Consignment,
  pack: ConsignmentPackage,
  labelFormat: 'pdf' | 'zpl' = 'pdf',
) {
  return {
    to_address: address(consignment.receiver),
    from_address: address(consignment.sender),
    ...(consignment.returnAddress === undefined ? {} : { return_address: address(consignment.returnAddress) }),
    parcel: {
      length: inches(pack.lengthMm),
      width: inches(pack.widthMm),
      height: inches(pack.heightMm),
      weight: ounces(pack.grossWeightGrams),
    },
    customs_info: customsInfo(consignment, pack),
    tax_identifiers: taxIdentifiers(consignment),
    options: {
      label_format: labelFormat.toUpperCase(),
      label_size: '4x6',
      print_custom_1: cutText(consignment.reference, 35),
    },
  };
}
