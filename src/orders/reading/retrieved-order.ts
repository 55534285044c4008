import { z } from 'zod';
import { shownReturnAddress } from '../../accounts/clients';
import { addressAsSent } from '../../platform/normal-address';
import type { LinkSigner } from '../../platform/objects/signed-links';
import { addressFindingSchema } from '../domain/address-findings';
import { FINANCIAL_STATUSES, ORDER_STATUSES } from '../domain/lifecycle/statuses';
import { amounts, billingEntitySchema, NO_BILLING_ENTITY, receiptSchema, receiptView } from '../domain/receipt';
import { findingsOf } from '../planning/address-checks';
import { fileDelay } from '../planning/file-delays';
import { clientEvent, clientEvents, orderEvents } from './client-events';
import { type OrderRecord, PARTNER_EVENTS } from './order-reader';
import { itemView, retrievedItemSchema } from './retrieved-item';
import { livePrintOrders, shipmentSchema, shipmentView } from './shipment-view';

/** The order as clients retrieve it: its schema, and the view that maps the stored rows to it. */

const nullableText = z.string().nullable();
const timestamp = z.iso.datetime();
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
    addressAsSent: addressAsSent
      .nullable()
      .describe('The texts that were stored in another form, as they were sent: a national phone number. Null: none.'),
    checks: z
      .array(addressFindingSchema)
      .describe(
        'What was found in the address. An order with an error waits before its handover, unless the client’s setting ' +
          '`addressChecks` says otherwise.',
      ),
    checksAccepted: z.boolean().describe('An operator has accepted the address as it is.'),
  })
  .meta({ id: 'RetrievedShippingAddress' });

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
    fileDelay: fileDelay
      .nullable()
      .describe('While print files cannot be fetched: the latest failure and the next attempt. Null otherwise.'),
    comment: nullableText,
    archived: z.boolean().describe('True: the order is archived, and cannot be changed.'),
    replaces: nullableText.describe('Id of the failed or canceled order that this one replaces.'),
    channel: z.string(),
    channelOrder: z
      .object({ channel: z.string(), externalId: z.string(), revision: z.int() })
      .nullable()
      .describe('The channel that the order came from, by its id, and the latest revision. Null: the API.'),
    storeId: z.null(),
    orderedByUserId: z.null(),
    orderType: z.enum(['order', 'draft']),
    metadata,
    billingEntity: billingEntitySchema,
    retailCurrency: nullableText,
    retailShippingPriceInclVat: z.number().nullable(),
    paymentMethodType: z.null(),
    paymentMethodId: z.null(),
    prepaymentTransactionId: z.null(),
    connectedOrderIds: z.array(z.string()),
    discounts: z.array(z.unknown()),
    returnAddress: shownReturnAddress.nullable(),
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
    eventLog: z
      .array(clientEvent)
      .describe(
        'Events of the order as a whole. Items have their own `eventLog`. Of each type of postback, the latest ' +
          `${PARTNER_EVENTS.ofItem}.`,
      ),
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

/** Returns the order as clients retrieve it (schema `Order`). Unknown texts are null, unknown lists are empty. */
export function orderView(order: OrderRecord, links: LinkSigner) {
  const { clientSettings: settings } = order;
  const billingEntity = { ...NO_BILLING_ENTITY, ...settings.billingEntity };
  const printOrders = livePrintOrders(order);
  return {
    id: order.id,
    clientId: order.clientId,
    orderReferenceId: order.orderReferenceId,
    customerReferenceId: order.customerReferenceId,
    fulfillmentStatus: order.fulfillmentStatus,
    financialStatus: order.financialStatus,
    currency: order.currency,
    shippingAddress: addressView(order),
    items: order.items.map((item) => itemView(item, order, links)),
    shipment: shipmentView(order),
    receipts: order.receipts.map((receipt) =>
      receiptView(receipt.body, {
        id: receipt.id,
        orderId: order.id,
        clientId: order.clientId,
        type: receipt.type,
        receiptNumber: String(receipt.number),
        transactionType: receipt.type,
        billingEntity,
        createdAt: new Date(receipt.createdAt).toISOString(),
        updatedAt: new Date(receipt.updatedAt).toISOString(),
      }),
    ),
    createdAt: order.createdAt.toISOString(),
    orderedAt: order.orderedAt?.toISOString() ?? null,
    updatedAt: order.updatedAt.toISOString(),
    refusalReason: order.refusalReason,
    refusalReasonCode: order.refusalReasonCode,
    refusalReasonDetails: order.refusalReasonDetails,
    fileDelay: order.fulfillmentStatus === 'uploading' ? order.fileDelay : null,
    comment: order.comment,
    archived: order.archived,
    replaces: order.replacesId,
    channel: order.channel,
    channelOrder: order.channelOrder,
    storeId: null,
    orderedByUserId: null,
    orderType: order.orderType,
    metadata: order.metadata,
    billingEntity,
    retailCurrency: order.retailCurrency,
    retailShippingPriceInclVat: order.retailShippingPrice === null ? null : Number(order.retailShippingPrice),
    paymentMethodType: null,
    paymentMethodId: null,
    prepaymentTransactionId: null,
    // Print orders count as connected orders only when there are several of them.
    connectedOrderIds: printOrders.length > 1 ? printOrders.map(({ id }) => id) : [],
    discounts: [],
    returnAddress: order.returnAddress ?? settings.returnAddress ?? null,
    iossNumber: settings.iossNumber ?? null,
    digitizationId: null,
    appServices: [],
    shipmentMethodUid: order.shipmentMethodUid,
    packagingInstructions: order.packagingInstructions,
    reprintOf: order.reprintOf,
    eventLog: clientEvents(orderEvents(order)),
  };
}

/** Returns the shipping address with every field of schema `RetrievedShippingAddress`. */
export function addressView(
  order: Pick<OrderRecord, 'id' | 'shippingAddress' | 'acceptedAddressId' | 'addressFindings'>,
) {
  const { shippingAddress: address, acceptedAddressId } = order;
  return {
    ...addressFields(order),
    addressAsSent: address.addressAsSent ?? null,
    checks: findingsOf(order),
    checksAccepted: acceptedAddressId === address.id,
  };
}

/** Returns what a client submits of an address, with every field. */
export function addressFields(order: Pick<OrderRecord, 'id' | 'shippingAddress'>) {
  const address = order.shippingAddress;
  return {
    id: address.id,
    orderId: order.id,
    country: address.country,
    firstName: address.firstName,
    lastName: address.lastName,
    companyName: address.companyName ?? null,
    addressLine1: address.addressLine1,
    addressLine2: address.addressLine2 ?? null,
    city: address.city,
    postCode: address.postCode,
    state: address.state ?? null,
    email: address.email,
    phone: address.phone,
    isBusiness: address.isBusiness ?? false,
    federalTaxId: address.federalTaxId ?? null,
    stateTaxId: address.stateTaxId ?? null,
    registrationState: address.registrationState ?? null,
  };
}
