import { z } from 'zod';

const storedFile = {
  fileName: z.string(),
  fileUrl: z.url().describe('Valid for seven days.'),
  contentType: z.string(),
};
const documents = z.array(z.object({ documentType: z.string(), ...storedFile })).optional();
const totalCost = z.object({ value: z.number(), currency: z.string() }).describe('Estimated shipping cost.').optional();

const packageFields = {
  packageReferenceId: z.string(),
  trackingNumber: z.string(),
  trackingUrl: z.string(),
};

export const shippingOrderSchema = z
  .object({
    orderId: z.string(),
    orderReferenceId: z.string(),
    shippingMethod: z.object({ carrier: z.string(), uid: z.string() }),
    packages: z.array(z.object({ ...packageFields, label: z.object(storedFile), documents, totalCost })),
  })
  .meta({ id: 'ShippingOrder' });
export type ShippingOrderResponse = z.input<typeof shippingOrderSchema>;

export const SHIPPING_ORDER_STATUSES = ['buying', 'bought', 'refused', 'canceling', 'canceled'] as const;
export type ShippingOrderStatus = (typeof SHIPPING_ORDER_STATUSES)[number];

const stateFields = {
  orderId: z.string(),
  orderReferenceId: z.string(),
  status: z
    .enum(SHIPPING_ORDER_STATUSES)
    .describe(
      'buying: the purchase is not complete. bought: the labels are valid. refused: nothing was bought, and the ' +
        'orderReferenceId is free again. canceling: the carrier is being asked to void the labels. canceled: the ' +
        'labels are void.',
    ),
  shippingMethod: z.object({
    carrier: z.string().nullable().describe('Null until the labels are bought.'),
    uid: z.string(),
  }),
  createdAt: z.iso.datetime(),
  canceledAt: z.iso.datetime().nullable(),
};

export const retrievedShippingOrderSchema = z
  .object({
    ...stateFields,
    refusal: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the carrier refused the purchase.'),
    packages: z
      .array(
        z.object({
          ...packageFields,
          label: z.object(storedFile).optional().describe('Missing after the retention period.'),
          documents,
          totalCost,
        }),
      )
      .describe('Empty until the labels are bought.'),
  })
  .meta({ id: 'RetrievedShippingOrder' });
export type RetrievedShippingOrder = z.input<typeof retrievedShippingOrderSchema>;

export const shippingOrderSummarySchema = z
  .object({ ...stateFields, packages: z.array(z.object(packageFields)) })
  .meta({ id: 'ShippingOrderSummary' });
export type ShippingOrderSummary = z.input<typeof shippingOrderSummarySchema>;
