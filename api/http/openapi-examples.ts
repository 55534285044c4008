/** Examples of requests and responses, made from their JSON Schemas. */

type JsonSchema = Readonly<Record<string, unknown>>;
type Named = Readonly<Record<string, JsonSchema>>;

/** Values of fields by name, where the schema says only their type. Fields of other names get a value of their type. */
const FIELD_EXAMPLES: Readonly<Record<string, string | number>> = {
  orderReferenceId: 'web-1001',
  itemReferenceId: 'line-1',
  packageReferenceId: 'P-1',
  customerReferenceId: 'customer-17',
  orderId: '019a0c6d-11aa-7b10-8f5e-2f0d0a3c9e41',
  productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
  productName: 'Poster',
  firstName: 'Ada',
  lastName: 'Lovelace',
  company: 'Prints Leeds Ltd',
  companyName: 'Poster Shop GmbH',
  addressLine1: 'Torstraße 1',
  street: 'Torstraße',
  houseNumber: '1',
  city: 'Berlin',
  postCode: '10119',
  postcode: '10119',
  postalCode: '10119',
  country: 'DE',
  phone: '+49 30 901820',
  email: 'ada@example.com',
  currency: 'EUR',
  timeZone: 'Europe/London',
  cutOff: '14:00',
  iossNumber: 'IM2760000742',
  shipmentMethodUid: 'corvid_post_tracked_packet',
  trackingNumber: 'LA100000003DE',
  trackingCode: 'LA100000003DE',
  reason: 'The customer asked for it',
  name: 'Poster',
  type: 'default',
  SKU: 'frame-wood-oak-30x40',
  partnerSku: 'frame-wood-black-a4',
  quantity: 2,
  source: 'Official journal',
  receiptId: 'delivery-note-88',
  originalFilename: 'invoice.pdf',
  text: 'Asked the client for a new file',
  message: 'The text is cut off at the right edge',
  unitMinor: 990,
  unitPriceMinor: 290,
  vatRate: 0.19,
  month: '2026-10',
  electronicAddress: '0208:0403170701',
};

/** Values of path parameters by name, where the demo has such an object: of its catalog and sandbox, or made by another example. */
const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  orderId: 'web-1001',
  itemReferenceId: 'line-1',
  type: 'default',
  productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
  attributeId: 'apparel_size',
  valueId: 'xxxl',
  variantOptionId: 'size',
  value: 'M',
  schemaName: 'dispatch-request-2.0.json',
  date: '2026-11-24',
  partnerSku: 'frame-wood-black-a4',
  partnerName: 'prints-berlin',
  carrierUid: 'corvid_post',
  fileName: 'mug-wrap.png',
};

/** The print file of the examples. */
export const EXAMPLE_FILE_URL = 'https://shop.example/files/poster.pdf';

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-24',
  'date-time': '2026-11-24T09:30:00Z',
  uuid: '019a0c6d-11aa-7b10-8f5e-2f0d0a3c9e41',
  uri: EXAMPLE_FILE_URL,
  email: 'ada@example.com',
};
/** Tried in turn where a pattern decides. */
const TEXTS = [
  'example',
  '1001',
  'DE',
  'EUR',
  '2026-11-24',
  '2026-11-24T09:30:00Z',
  'IM2760000742',
  '14:00',
  'order:1',
  '#cc3333',
  '0.19',
  '490110',
];

/** Returns the example of a path parameter, or none where only a response has such a value. */
export const pathExamplesOf = (name: string): string[] => (name in PATH_EXAMPLES ? [PATH_EXAMPLES[name]!] : []);

/** Optional members that a request needs in place of others, or as a rule. */
const USUAL_MEMBERS = [
  'productUid',
  'files',
  'url',
  'street',
  'houseNumber',
  'shipmentMethodUid',
  'tier',
  'orderIds',
  'reason',
];

/** Objects nested deeper than this have only their required members. */
const DETAILED_DEPTH = 5;

function textOf(schema: JsonSchema, name: string): string {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as Record<string, never>;
  const fits = (text: string) =>
    (pattern === undefined || new RegExp(pattern, 'u').test(text)) &&
    text.length >= minLength &&
    text.length <= maxLength;
  const named = /url$/i.test(name) ? FORMATS.uri : FIELD_EXAMPLES[name];
  const candidates = [FORMATS[format ?? ''], typeof named === 'string' ? named : undefined, ...TEXTS];
  return candidates.find((text) => text !== undefined && fits(text)) ?? 'x'.repeat(Math.max(1, minLength));
}

function numberOf(schema: JsonSchema, name: string): number {
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY, exclusiveMinimum } = schema as Record<string, number>;
  const named = FIELD_EXAMPLES[name];
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
  const wanted = typeof named === 'number' && (schema.type !== 'integer' || Number.isInteger(named)) ? named : 1;
  return Math.min(Math.max(wanted, least), maximum);
}

/**
 * Returns a value that a JSON Schema accepts: its own example or default, else one of its type.
 * @param whole true for every member of objects, false for those that a request must have
 * @param named the schemas that `$ref`s lead to
 */
export function exampleOf(schema: JsonSchema, named: Named, whole: boolean, name = '', depth = 0): unknown {
  if (typeof schema.$ref === 'string') {
    const target = named[schema.$ref.split('/').at(-1)!]!;
    return exampleOf(target, named, whole, name, depth + 1);
  }
  const [given] = (schema.examples as unknown[] | undefined) ?? [schema.const ?? (schema.enum as unknown[])?.[0]];
  if (given !== undefined) return given;
  const variants = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (variants !== undefined) return exampleOf(variants[0]!, named, whole, name, depth + 1);
  if (schema.allOf !== undefined)
    return Object.assign(
      {},
      ...(schema.allOf as JsonSchema[]).map((part) => exampleOf(part, named, whole, name, depth)),
    );
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') return textOf(schema, name);
  if (type === 'integer' || type === 'number') return numberOf(schema, name);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'array') {
    const length = Math.max(
      Number(schema.minItems ?? 0),
      depth > DETAILED_DEPTH && !USUAL_MEMBERS.includes(name) ? 0 : 1,
    );
    return Array.from({ length }, () => exampleOf((schema.items ?? {}) as JsonSchema, named, whole, name, depth + 1));
  }
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required ?? []) as string[];
  const isAll = depth === 0 && required.length === 0 ? true : whole && depth <= DETAILED_DEPTH;
  const members = Object.keys(properties).filter(
    (key) => isAll || required.includes(key) || USUAL_MEMBERS.includes(key),
  );
  return Object.fromEntries(members.map((key) => [key, exampleOf(properties[key]!, named, whole, key, depth + 1)]));
}
