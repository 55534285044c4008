import { type AddressLimits, fittedAddress } from '../../consignments/domain/address-layout';
import {
  type Consignment,
  type ConsignmentPackage,
  type PostalAddress,
  type TaxIds,
  taxIdsOf,
} from '../../consignments/domain/consignment';
import { lineValue } from '../../consignments/domain/customs';
import { asciiEmail } from '../../platform/domain/email';
import { cutText } from '../../platform/domain/foreign-text';
import { fromMinor } from '../../platform/domain/money';
import { isCrossBorder } from '../../platform/domain/territories';

const GRAMS_PER_OUNCE = 28.349523125;
const ounces = (grams: number) => Number((grams / GRAMS_PER_OUNCE).toFixed(2));
const inches = (mm: number) => Number((mm / 25.4).toFixed(2));

/** Returns text as EasyPost's carriers can print it, or undefined when nothing is left. */
const printed = (...parts: readonly (string | undefined)[]) =>
  withoutEmoji(parts.filter(Boolean).join(' ')) || undefined;

/** EasyPost has two street lines. UPS and FedEx take 35 characters (Shipping API, AddressLine; Ship API, streetLines). */
const LIMITS: AddressLimits = { name: 35, company: 35, line: 35, lines: 2, city: 30, state: 35, phone: 25 };
/** Limits of carriers that take more, by carrier uid: USPS Web Tools (46), OpenAPI document 2.7.2 of the MyDHL API (45). */
const LONGER_LIMITS: Readonly<Record<string, AddressLimits>> = {
  usps: { ...LIMITS, name: 46, company: 46, line: 46, city: 46 },
  dhlexpress: { ...LIMITS, name: 45, company: 60, line: 45, city: 45 },
};

/** Returns an address as EasyPost takes it. @param carrier uid of the carrier. Undefined: any */
export function address(party: PostalAddress, carrier?: string) {
  const texts = Object.entries(party).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutEmoji(value) : value,
  ]);
  const limits = LONGER_LIMITS[carrier ?? ''] ?? LIMITS;
  const { lines, name, company, city, state, phone } = fittedAddress(Object.fromEntries(texts), limits);
  return {
    name: name || undefined,
    company: company || undefined,
    street1: lines[0],
    street2: lines[1],
    city: city || undefined,
    state: state || undefined,
    zip: party.postcode,
    country: party.country,
    phone,
    email: party.email && asciiEmail(party.email),
  };
}

type TaxIdTypes = Readonly<Partial<Record<keyof TaxIds, string>>>;

const VAT = { vatNumber: 'VAT' };
const VAT_IOSS = { ...VAT, iossNumber: 'IOSS' };
const VAT_IOSS_EORI = { ...VAT_IOSS, eoriNumber: 'EORI' };
/**
 * The types of tax ids that carriers take, by carrier uid
 * (https://support.easypost.com/hc/en-us/articles/4412101923213-Tax-Identifiers). `CNP` is a CNPJ or CPF of Brazil.
 */
const TAX_ID_TYPES: Readonly<Record<string, TaxIdTypes>> = {
  apc: VAT,
  asendia: VAT,
  asendiausa: VAT,
  dhlexpress: { ...VAT, eoriNumber: 'EOR', iossNumber: 'SDT', federalTaxId: 'FED', stateTaxId: 'STA' },
  dhlecs: VAT_IOSS_EORI,
  dpduk: VAT_IOSS_EORI,
  fedex: { ...VAT_IOSS_EORI, stateTaxId: 'STA' },
  royalmail: VAT_IOSS_EORI,
  upsmailinnovations: VAT,
};

/**
 * Returns the tax ids of both parties: as typed identifiers, and as text those for which the carrier has no type.
 * @param carrier uid of the carrier. Undefined: any
 */
function taxIdsFor({ sender, receiver }: Consignment, carrier: string | undefined) {
  const types: TaxIdTypes = TAX_ID_TYPES[carrier ?? ''] ?? VAT_IOSS;
  const all = (['SENDER', 'RECEIVER'] as const).flatMap((entity) => {
    const party = entity === 'SENDER' ? sender : receiver;
    return taxIdsOf(party).map(({ key, value, name }) => {
      const type = types[key] === 'FED' && party.country === 'BR' ? 'CNP' : types[key];
      return { entity, type, name, value, country: party.country };
    });
  });
  return {
    identifiers: all.flatMap(({ entity, type, value, country }) =>
      type === undefined ? [] : [{ entity, tax_id: value, tax_id_type: type, issuing_country: country }],
    ),
    text: all.flatMap(({ entity, type, name, value }) =>
      type === undefined ? [`${entity === 'SENDER' ? 'Sender' : 'Receiver'}: ${name} ${value}`] : [],
    ),
  };
}

/** @param declaration text for customs that no other field holds */
function customsInfo(consignment: Consignment, pack: ConsignmentPackage, declaration: readonly string[]) {
  const { sender, receiver } = consignment;
  if (!isCrossBorder(sender, receiver)) return undefined;
  return {
    contents_type: 'merchandise',
    customs_certify: true,
    customs_signer: printed(sender.firstName, sender.lastName) ?? printed(sender.company),
    restriction_type: 'none',
    eel_pfc: 'NOEEI 30.37(a)',
    ...(declaration.length === 0 ? {} : { declaration: declaration.join('; ') }),
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

/**
 * Returns the request for a shipment of one package: addresses, customs data across a customs border, label size.
 * @param options.carrier uid of the carrier that the shipment is bought from. Absent for a quote
 */
export function shipmentParameters(
  consignment: Consignment,
  pack: ConsignmentPackage,
  options: { readonly labelFormat?: 'pdf' | 'zpl' | undefined; readonly carrier?: string | undefined } = {},
) {
  const { labelFormat = 'pdf', carrier } = options;
  const taxIds = taxIdsFor(consignment, carrier);
  return {
    to_address: address(consignment.receiver, carrier),
    from_address: address(consignment.sender, carrier),
    ...(consignment.returnAddress === undefined ? {} : { return_address: address(consignment.returnAddress, carrier) }),
    parcel: {
      length: inches(pack.lengthMm),
      width: inches(pack.widthMm),
      height: inches(pack.heightMm),
      weight: ounces(pack.grossWeightGrams),
    },
    customs_info: customsInfo(consignment, pack, taxIds.text),
    tax_identifiers: taxIds.identifiers,
    options: {
      label_format: labelFormat.toUpperCase(),
      label_size: '4x6',
      print_custom_1: cutText(consignment.reference, 35),
    },
  };
}

/** Emoji with their modifiers and joiners, private-use characters and control characters. */
const UNPRINTABLE =
  /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\p{Co}\p{Cc}]|\u200d|\u20e3|[\ufe0e\ufe0f]|[\u{e0020}-\u{e007f}]/gu;
/** Pictographs that are ordinary typography and belong to Latin fonts. */
const TYPOGRAPHY = new Set(['©', '®', '™', '‼', '⁉', '↔']);

/** Returns a text without emoji, for carriers that print it with their own fonts. */
export function withoutEmoji(text: string): string {
  const kept = text.replace(UNPRINTABLE, (character) => (TYPOGRAPHY.has(character) ? character : ''));
  return kept === text ? text : kept.replace(/\s{2,}/g, ' ').trim();
}
