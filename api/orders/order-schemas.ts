import { z } from 'zod';
import { fileFactsSchema } from '../../src/files/domain/file-facts';
import { FILE_CHECKS, FILE_FINDING_CODES, FINDING_SEVERITIES } from '../../src/files/domain/file-findings';
import { FINANCIAL_STATUSES, ITEM_STATUSES, ORDER_STATUSES } from '../../src/orders/domain/lifecycle/statuses';
import { REPLACEMENT_STATES } from '../../src/orders/reading/order-reader';

/** Schemas of retrieved orders (schema `Order`). */

const nullableText = z.string().nullable();
const timestamp = z.iso.datetime();
const date = z.iso.date();
const metadata = z.array(z.object({ key: z.string(), value: z.string() }));

export const retrievedAddressSchema = z
  .object({
    id: z.string(),
    orderId: z.string(),
    country: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    companyName: nullableText,
    addressLine1: z.string(),
    addressLine2: nullableText,
    city: z.string(),
    postCode: z.string(),
    state: nullableText,
    email: z.string(),
    phone: z.string(),
    isBusiness: z.boolean(),
    federalTaxId: nullableText,
    stateTaxId: nullableText,
    registrationState: nullableText,
  })
  .meta({ id: 'RetrievedShippingAddress' });

const event = z.object({
  type: z.string(),
  printOrderId: nullableText,
  data: z.looseObject({}),
  createdAt: timestamp,
});

export const fileFinding = z
  .object({
    code: z.enum(FILE_FINDING_CODES).describe(
      Object.entries(FILE_CHECKS)
        .map(([code, { finds }]) => `\`${code}\`: ${finds}`)
        .join(' '),
    ),
    severity: z.enum(FINDING_SEVERITIES).describe('`ok`: said, and no fault.'),
    page: z.int().nullable().describe('From 1. Null: the whole file.'),
    measured: z.string().describe('What the file has.'),
    wanted: z.string().describe('What the product needs.'),
    message: z.string(),
  })
  .meta({ id: 'FileFinding', description: 'Something in a print file that prevents a good print.' });

const retrievedItemSchema = z
  .object({
    id: z.string(),
    itemReferenceId: z.string(),
    productUid: z.string(),
    storeProductVariantId: z.null(),
    storeProductId: z.null(),
    files: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        url: z.string(),
        threadColors: z.array(z.string()),
        isVisible: z.boolean(),
        fitMethod: nullableText,
        fillMethod: nullableText,
        mimeType: nullableText,
        facts: fileFactsSchema.nullable().describe('What was measured in the file. Null before it is fetched.'),
        metadata,
        checks: z.array(fileFinding).describe('What was found in the file. Empty before it is fetched.'),
        checksAccepted: z.boolean().describe('True when an operator has accepted the file with its findings.'),
        replacement: z
          .object({
            url: z.string(),
            state: z
              .enum(REPLACEMENT_STATES)
              .describe(
                'It is being checked, was sent to the print partner, or was refused by Pressline or the partner.',
              ),
            message: nullableText.describe('Why it was refused.'),
            checks: z.array(fileFinding),
          })
          .nullable()
          .describe(
            'The latest file that is to replace this one at the print partner that has the item. Null: none. It takes the ' +
              'place of this file when the partner accepts it.',
          ),
      }),
    ),
    processedFileUrl: nullableText,
    quantity: z.number(),
    options: z.array(z.unknown()),
    category: z.string(),
    productCategoryUid: z.string(),
    productTypeUid: z.string(),
    productNameUid: z.string(),
    productName: z.string(),
    fulfillmentStatus: z.enum(ITEM_STATUSES),
    pageCount: z.int().nullable(),
    printJobs: z.array(
      z.object({
        id: z.string(),
        printOrderId: z.string(),
        quantity: z.int(),
        status: z.string(),
        dispatchDate: date,
        reproducesPrintOrderId: nullableText,
      }),
    ),
    eventLog: z.array(event),
    previews: z.array(
      z.object({ type: z.enum(['preview_default', 'preview_thumbnail', 'preview_flat']), url: z.url() }),
    ),
    designId: z.null(),
    productFileMimeType: nullableText,
    finalProductUid: z.string(),
    metadata,
    retailPriceInclVat: z.number().nullable(),
    attributes: z.array(
      z.object({ name: z.string(), title: z.string(), value: z.string(), formattedValue: z.string() }),
    ),
    itemReferenceName: z.string(),
    isIgnored: z.boolean(),
    price: z.number().nullable(),
    customTrim: z.object({ widthMm: z.number(), heightMm: z.number() }).nullable(),
    fileUrl: nullableText,
    dpi: z.int().nullable(),
    appServices: z.array(z.unknown()),
    filesSize: z.int().describe('Total size of the stored print files, in bytes.'),
    productVariant: z.array(z.object({ name: z.string(), value: z.string() })),
  })
  .meta({ id: 'RetrievedItem' });

export const shipmentSchema = z
  .object({
    id: z.string(),
    orderProductId: z.null(),
    shippingAddressId: z.string(),
    promiseUid: z.string(),
    packageCount: z.int(),
    shipmentMethodUid: z.string(),
    shipmentMethodName: z.string(),
    isCheapest: z.boolean(),
    minDeliveryDays: z.int(),
    maxDeliveryDays: z.int(),
    minDeliveryDate: date,
    maxDeliveryDate: date,
    initialMinDeliveryDate: date,
    initialMaxDeliveryDate: date,
    totalWeight: z.number().describe('Grams, packaging included.'),
    price: z.number(),
    status: z.string(),
    packages: z.array(
      z.object({
        printOrderId: z.string(),
        packageReferenceId: nullableText.describe(
          'As on the label. Null for a parcel with the partner’s own tracking code.',
        ),
        items: z
          .array(z.object({ itemReferenceId: z.string(), quantity: z.int() }))
          .readonly()
          .describe('The units in the parcel. Units that were cancelled or rerouted are left out.'),
        trackingCode: z.string(),
        trackingUrl: nullableText,
        shipmentMethodUid: z.string(),
        shipmentMethodName: z.string(),
        fulfillmentCountry: z.string(),
        fulfillmentFacilityId: z.string(),
      }),
    ),
    trackingFollowed: z
      .boolean()
      .nullable()
      .describe(
        'False when the partner shipped with a carrier that Pressline does not know: the order stays `shipped`. Null before a ' +
          'parcel has shipped.',
      ),
    fulfillmentCountry: z.string(),
    fulfillmentFacilityId: z.string().describe('Tells facilities apart. It does not name the print partner.'),
    retailShippingPriceInclVat: z.number().nullable(),
    serviceType: z.string(),
    speedType: z.string(),
  })
  .meta({ id: 'Shipment' });

/** Returns the members of a response that are amounts of money. */
export const amounts = <K extends string>(...names: K[]) =>
  Object.fromEntries(names.map((name) => [name, z.number()])) as Record<K, z.ZodNumber>;

const receiptSchema = z
  .object({
    id: z.string(),
    orderId: z.string(),
    type: z.string(),
    currency: z.string(),
    items: z.array(
      z.object({
        id: z.string(),
        receiptId: z.string(),
        orderId: z.string(),
        clientId: z.string(),
        type: z.string(),
        referenceId: z.string(),
        title: z.string(),
        currency: z.string(),
        ...amounts('priceBase', 'amount', 'priceInitial', 'discount', 'price', 'vat', 'priceInclVat'),
        pricePlanId: nullableText,
        createdAt: timestamp,
        updatedAt: timestamp,
      }),
    ),
    createdAt: timestamp,
    updatedAt: timestamp,
    receiptNumber: z.string(),
    billingEntity: z.looseObject({}).nullable(),
    billingTag: nullableText,
    transactionType: z.string(),
    ...amounts(
      'productsPriceInitial',
      'productsPriceDiscount',
      'productsPrice',
      'productsPriceVat',
      'productsPriceInclVat',
      'shippingPriceInitial',
      'shippingPriceDiscount',
      'shippingPrice',
      'shippingPriceVat',
      'shippingPriceInclVat',
      'discount',
      'discountVat',
      'discountInclVat',
      'totalInitial',
      'total',
      'totalVat',
      'totalInclVat',
    ),
    isCalculated: z.boolean(),
  })
  .meta({ id: 'Receipt' });

export const retrievedOrderSchema = z
  .object({
    id: z.string(),
    clientId: z.string(),
    orderReferenceId: z.string(),
    customerReferenceId: nullableText,
    fulfillmentStatus: z.enum(ORDER_STATUSES),
    financialStatus: z.enum(FINANCIAL_STATUSES),
    currency: z.string(),
    shippingAddress: retrievedAddressSchema,
    items: z.array(retrievedItemSchema),
    shipment: shipmentSchema.nullable(),
    receipts: z.array(receiptSchema),
    createdAt: timestamp,
    orderedAt: timestamp.nullable(),
    updatedAt: timestamp,
    refusalReason: nullableText,
    refusalReasonCode: nullableText,
    refusalReasonDetails: z.looseObject({}).nullable(),
    comment: nullableText,
    archived: z.boolean().describe('True: the order is archived, and cannot be changed.'),
    replaces: nullableText.describe('Id of the failed or canceled order that this one replaces.'),
    channel: z.string(),
    storeId: z.null(),
    orderedByUserId: z.null(),
    orderType: z.enum(['order', 'draft']),
    metadata,
    billingEntity: z.looseObject({
      id: z.int(),
      companyName: z.string(),
      companyVatNumbers: z.array(z.string()),
    }),
    retailCurrency: nullableText,
    retailShippingPriceInclVat: z.number().nullable(),
    paymentMethodType: z.null(),
    paymentMethodId: z.null(),
    prepaymentTransactionId: z.null(),
    connectedOrderIds: z.array(z.string()),
    discounts: z.array(z.unknown()),
    returnAddress: z.looseObject({}).nullable(),
    iossNumber: nullableText,
    digitizationId: z.null(),
    appServices: z.array(z.unknown()),
    shipmentMethodUid: nullableText,
    packagingInstructions: z
      .array(
        z.object({
          packageItems: z.array(z.object({ orderItemReferenceId: z.string(), quantity: z.int() })),
          packingSlip: z.object({ fileUrl: z.string() }).optional(),
          brandedPackaging: z.string().optional(),
        }),
      )
      .describe('As submitted.'),
    reprintOf: z.string().nullable().describe('The order that this one makes again, on request of an operator.'),
    eventLog: z.array(event).describe('Events of the order as a whole. Items have their own `eventLog`.'),
  })
  .meta({ id: 'Order' });

export const updatedShipmentSchema = z
  .object({
    shippingAddress: retrievedAddressSchema,
    shipment: shipmentSchema
      .pick({
        shipmentMethodUid: true,
        shipmentMethodName: true,
        fulfillmentCountry: true,
        fulfillmentFacilityId: true,
        packageCount: true,
        initialMinDeliveryDate: true,
        initialMaxDeliveryDate: true,
        serviceType: true,
      })
      .describe('Before the order is planned, and with `dryRun`: the expected shipment.'),
    price: z
      .object({
        currency: z.string(),
        ...amounts('total', 'totalVat', 'totalInclVat'),
        difference: z.number().nullable().describe('Before VAT. Null: without the change, the order has no price.'),
        differenceVat: z.number().nullable(),
        differenceInclVat: z.number().nullable(),
      })
      .describe('Price of the order after the change, less refunds, and its difference from the price before.'),
  })
  .meta({ id: 'UpdatedShipment' });
