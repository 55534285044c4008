import { z } from 'zod';

/**
 * The schema with which a partner checks a print order (schema `SentPrintOrder`). Every required field
 * must be present with its type. Additional fields are allowed.
 */

const asset = z.object({
  format: z.enum(['pdf', 'png', 'jpeg']),
  contentType: z.enum(['application/pdf', 'image/png', 'image/jpeg']),
  url: z.url({ protocol: /^https?$/ }),
  type: z.string().optional(),
});

const product = z.object({
  modelUid: z.string().min(1),
  desc: z.string(),
  attributes: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      properties: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
    }),
  ),
});

const item = z.object({
  id: z.string().regex(/^\d+$/),
  count: z.number().int().positive(),
  type: z.enum(['print', 'stock', 'product_bundle']),
  product,
  assets: z.array(asset),
});

const bundle = z.object({
  type: z.string(),
  parts: z
    .array(
      z.object({
        id: z.string().regex(/^\d+$/).optional(),
        count: z.number().int().positive(),
        type: z.string(),
        product,
        assets: z.array(asset).nullish(),
        unit_price: z.number().optional(),
      }),
    )
    .min(1),
});

/** A line of `items`: a bundle when it has `parts`, else an item. A union would report the fields of both kinds. */
const line = z.unknown().transform((value, context): z.output<typeof bundle> | z.output<typeof item> => {
  const isBundle = typeof value === 'object' && value !== null && 'parts' in value;
  const result = isBundle ? bundle.safeParse(value) : item.safeParse(value);
  if (result.success) return result.data;
  for (const { path, message } of result.error.issues) {
    context.issues.push({ code: 'custom', path, message, input: value });
  }
  return z.NEVER;
});

const address = z.object({
  type: z.enum(['sender', 'delivery']),
  firstName: z.string(),
  lastName: z.string(),
  addressLine1: z.string().min(1),
  addressLine2: z.string().nullish(),
  addressLine3: z.string().nullish(),
  postalCode: z.string(),
  city: z.string().min(1),
  countryCode: z.string().length(2),
  email: z.string(),
  companyName: z.string().nullish(),
  stateCode: z.string().nullish(),
  phone: z.string().nullish(),
});

const date = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'not a date');

const plannedPackage = z.object({
  packageReferenceId: z.string().min(1),
  items: z.array(z.object({ orderItemId: z.string().regex(/^\d+$/), quantity: z.number().int().positive() })).min(1),
  packingSlipUrl: z.url({ protocol: /^https?$/ }).optional(),
});

const printOrderFields = z.object({
  version: z.enum(['1.0', '1.1']),
  id: z.string().regex(/^\d+$/),
  orderDate: date,
  dispatchDate: date,
  printHouseUid: z.string().optional(),
  items: z.array(line).min(1),
  packages: z.array(plannedPackage).min(1).optional(),
  shipping: z.object({
    shipmentMethodUid: z.string().min(1),
    address: z
      .array(address)
      .refine((list) => list.some((entry) => entry.type === 'delivery'), 'no delivery address')
      .refine((list) => list.some((entry) => entry.type === 'sender'), 'no sender address'),
    customs: z.object({ priceTotal: z.number(), tax: z.number(), currencyCode: z.string().length(3) }),
  }),
});

export const printOrderSchema = printOrderFields.superRefine((order, context) => {
  const { itemIds } = workloadOf(order);
  for (const [index, { items }] of (order.packages ?? []).entries()) {
    for (const [position, { orderItemId }] of items.entries()) {
      if (itemIds.includes(orderItemId)) continue;
      const path = ['packages', index, 'items', position, 'orderItemId'];
      context.addIssue({ code: 'custom', path, message: 'not an item of the print order' });
    }
  }
});

export type PrintOrder = z.output<typeof printOrderFields>;
export type PrintAsset = z.output<typeof asset>;

/**
 * What a partner needs of a print order: the items that postbacks can name, and the files to download (print files,
 * then packing slips).
 */
export interface Workload {
  readonly itemIds: readonly string[];
  readonly assets: readonly PrintAsset[];
}

/** Returns the workload of a print order. A part of a bundle counts as an item when it has an id. */
export function workloadOf(order: PrintOrder): Workload {
  const lines: { id?: string | undefined; assets?: PrintAsset[] | null | undefined }[] = [];
  for (const entry of order.items) lines.push(...('parts' in entry ? entry.parts : [entry]));
  const ids = lines.flatMap((line) => (line.id === undefined ? [] : [line.id]));
  const packingSlips = (order.packages ?? []).flatMap(({ packingSlipUrl: url }): PrintAsset[] =>
    url === undefined ? [] : [{ format: 'pdf', contentType: 'application/pdf', url }],
  );
  return {
    itemIds: [...new Set(ids)],
    assets: [...lines.flatMap((line) => line.assets ?? []), ...packingSlips],
  };
}

/** Returns the second line of the delivery address, which may hold a behaviour marker. */
export function deliveryLine2(order: PrintOrder): string {
  return order.shipping.address.find((entry) => entry.type === 'delivery')?.addressLine2 ?? '';
}

/** Returns one line for each field error of a message. */
export function problemsOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

/** Returns the parsed JSON, or undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
