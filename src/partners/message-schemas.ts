import { z } from 'zod';
import { GARMENT_ASSET_TYPES } from './domain/garment-positions';
import { PRINT_ORDER_VERSIONS } from './domain/partner-protocol';

/** Schemas of print orders, one for each variant (schema `SentPrintOrder`). */

const decimalString = z.string().regex(/^\d+$/);
const text = z.string().min(1);

const attribute = z.strictObject({
  name: text,
  value: text,
  properties: z
    .array(z.strictObject({ name: text, value: z.string() }))
    .min(1)
    .optional(),
});

const asset = z.strictObject({
  format: z.enum(['pdf', 'png', 'jpeg']),
  contentType: z.enum(['application/pdf', 'image/png', 'image/jpeg']),
  url: z.url({ protocol: /^https?$/ }).describe('Time-limited link.'),
  type: z
    .enum(['text', 'cover', ...GARMENT_ASSET_TYPES, ...GARMENT_ASSET_TYPES.map((type) => `${type}_preview` as const)])
    .optional()
    .describe('Present only when the content is split over several files.'),
  fileType: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,100}$/)
    .describe(
      'The position of a garment, such as `chest-left-embroidery`; else the name that the client gave the file. Files with one `type` differ in it.',
    ),
  page: z
    .int()
    .min(1)
    .optional()
    .describe('The page for this side of a garment. Present when one file has several sides, one on each page.'),
  metadata: z
    .array(z.strictObject({ key: z.string(), value: z.string() }))
    .min(1)
    .optional()
    .describe('The metadata that the client gave the file.'),
  report: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).describe('Time-limited link to all that was measured and found, as JSON.'),
      pageCount: z.int().min(1),
      widthMm: z.number().nullable().describe('Of the first page of a PDF, after trimming. Null for an image.'),
      heightMm: z.number().nullable(),
      findings: z.array(z.string()).describe('Codes of the warnings and errors, such as `page_size`.'),
    })
    .optional()
    .describe('What was found in the print file. Absent for previews.'),
});

const product = z.strictObject({ modelUid: text, desc: z.string(), attributes: z.array(attribute) });

const orderItem = z.strictObject({
  id: decimalString,
  count: z.int().min(1),
  type: z.enum(['print', 'stock']),
  product,
  assets: z.array(asset).describe('Empty for items of the type stock.'),
});

const bundlePart = orderItem.extend({
  id: decimalString
    .optional()
    .describe('Each part has an id that is never used again. Absent for fulfillment services.'),
  unit_price: z.number().min(0).describe('Price in the partner’s currency.'),
  assets: z.array(asset).nullable(),
});

const bundle = z.strictObject({
  type: z.enum(['product_bundle', 'print', 'stock']),
  parts: z.array(bundlePart).min(1),
});

const address = z.strictObject({
  type: z.enum(['sender', 'delivery']),
  firstName: z.string(),
  lastName: z.string(),
  companyName: text.optional(),
  addressLine1: text,
  addressLine2: text.optional(),
  addressLine3: text.optional(),
  postalCode: z.string(),
  city: text,
  stateCode: text.optional(),
  administrativeAreaLevel1: text.optional(),
  countryCode: z.string().length(2),
  email: z.string(),
  phone: text.optional(),
});

const brandedPackaging = text.optional();

const plannedPackage = z.strictObject({
  packageReferenceId: text.describe('Reference on the label of the package.'),
  items: z.array(z.strictObject({ orderItemId: decimalString, quantity: z.int().min(1) })).min(1),
  packingSlipUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Time-limited link to the packing slip of the client (PDF).'),
  brandedPackaging: brandedPackaging.describe('Packaging workflow of this package. Version 1.1 and later.'),
});

/** The fields before packages and items. */
const head = {
  version: z.enum(PRINT_ORDER_VERSIONS),
  id: decimalString,
  orderDate: z.iso.datetime(),
  dispatchDate: z.iso.date(),
  brandedPackaging: brandedPackaging.describe(
    'Packaging workflow. Version 1.1 and later. Absent when packages have different ones.',
  ),
};
export type PrintOrderHead = z.output<z.ZodObject<typeof head>>;

const common = {
  ...head,
  packages: z
    .array(plannedPackage)
    .min(1)
    .optional()
    .describe('Present when the client gave packaging instructions or several packages are planned.'),
  shipping: z.strictObject({
    shipmentMethodUid: text,
    address: z.array(address).length(2),
    customs: z.strictObject({
      priceTotal: z.number().min(0),
      tax: z.number().min(0),
      currencyCode: z.string().length(3),
    }),
  }),
};

export const paperPrintOrderSchema = z.strictObject({ ...common, items: z.array(orderItem).min(1) });

export const mountedPrintOrderSchema = z.strictObject({
  ...common,
  printHouseUid: text,
  items: z.array(bundle).min(1),
});

export const apparelPrintOrderSchema = z.strictObject({ ...common, items: z.array(orderItem).min(1) });

export const PRINT_ORDER_SCHEMAS = {
  print: paperPrintOrderSchema,
  mounted: mountedPrintOrderSchema,
  apparel: apparelPrintOrderSchema,
} as const;

/** The first revision of a print order is its first delivery, which has no `revision`. */
const revision = z.int().min(2).describe('Counts the messages about the print order. The first delivery is 1.');

/** Schemas of order updates, one for each variant: the whole print order with the changes and a `revision`. */
export const ORDER_UPDATE_SCHEMAS = {
  print: paperPrintOrderSchema.extend({ revision }),
  mounted: mountedPrintOrderSchema.extend({ revision }),
  apparel: apparelPrintOrderSchema.extend({ revision }),
} as const;

export const cancelRequestSchema = z.strictObject({
  version: z.enum(PRINT_ORDER_VERSIONS),
  orderId: decimalString,
  canceledPrintJobIdList: z.array(decimalString).min(1).describe('Ids of items, or of all parts of an item.'),
  reason: z.string(),
});

export const STOCK_POLL_VERSION = '1.0';

export const SKUS_PER_POLL = 100;

export const stockPollSchema = z.strictObject({
  version: z.literal(STOCK_POLL_VERSION),
  SKU: z.array(text).min(1).max(SKUS_PER_POLL),
});

export type CancelRequestBody = z.output<typeof cancelRequestSchema>;
export type StockPollBody = z.output<typeof stockPollSchema>;
export type AttributeBody = z.output<typeof attribute>;
export type AssetBody = z.output<typeof asset>;
export type OrderItemBody = z.output<typeof orderItem>;
export type BundlePartBody = z.output<typeof bundlePart>;
export type BundleBody = z.output<typeof bundle>;
export type PackageBody = z.output<typeof plannedPackage>;
export type AddressBody = z.output<typeof address>;
export type PaperPrintOrderBody = z.output<typeof paperPrintOrderSchema>;
export type MountedPrintOrderBody = z.output<typeof mountedPrintOrderSchema>;
export type ApparelPrintOrderBody = z.output<typeof apparelPrintOrderSchema>;
export type PrintOrderBody = PaperPrintOrderBody | MountedPrintOrderBody | ApparelPrintOrderBody;
