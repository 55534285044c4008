import { withExtension } from '../../files/domain/file-facts';
import { fromMinor } from '../../platform/domain/money';
import { DOCUMENT_LINK_SECONDS, type LinkSigner } from '../../platform/objects/signed-links';
import { receiptView } from '../domain/receipt';
import { clientEvents, orderEvents } from './client-events';
import type { FileRecord, ItemRecord, OrderRecord } from './order-reader';
import { livePrintOrders, shipmentView } from './shipment-view';

/** The billing entity of clients without one: every field of schema `BillingEntity`, with empty values. */
const EMPTY_BILLING_ENTITY = {
  id: 0,
  companyName: '',
  companyNumber: '',
  companyVatNumber: '',
  companyVatNumbers: [],
  countryIsoCode: '',
  country: '',
  recipientName: '',
  addressLine1: '',
  addressLine2: '',
  city: '',
  postCode: '',
  stateCode: '',
  state: '',
  email: '',
  phone: '',
  currencyIsoCode: '',
  currency: '',
  status: 0,
  iossNumber: '',
  invoiceType: '',
};

/** Returns the order as clients retrieve it (schema `Order`). Unknown texts are null, unknown lists are empty. */
export function orderView(order: OrderRecord, links: LinkSigner) {
  const { clientSettings: settings } = order;
  const billingEntity = { ...EMPTY_BILLING_ENTITY, ...settings.billingEntity };
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
    comment: order.comment,
    archived: order.archived,
    replaces: order.replaces,
    channel: order.channel,
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
export function addressView(order: Pick<OrderRecord, 'id' | 'shippingAddress'>) {
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

function linkTo(links: LinkSigner, file: Pick<FileRecord, 'type' | 'objectKey' | 'mimeType'>): string | null {
  const { type, objectKey, mimeType: contentType } = file;
  if (objectKey === null || contentType === null) return null;
  const fileName = withExtension(type, contentType);
  return links.sign({ objectKey, contentType, fileName }, { seconds: DOCUMENT_LINK_SECONDS });
}

function itemView(item: ItemRecord, order: OrderRecord, links: LinkSigner) {
  const { files } = item;
  const main = files.find(({ type }) => type === 'default') ?? files[0];
  const { product } = item;
  const jobs = order.printOrders.flatMap((printOrder) =>
    printOrder.jobs
      .filter(({ itemId }) => itemId === item.id)
      .map(({ id, quantity, status }) => ({
        id,
        printOrderId: printOrder.id,
        quantity,
        status,
        dispatchDate: printOrder.dispatchDate,
        reproducesPrintOrderId: printOrder.reproducesId,
      })),
  );
  return {
    id: item.id,
    itemReferenceId: item.itemReferenceId,
    productUid: item.productUid ?? product.productUid,
    storeProductVariantId: null,
    storeProductId: null,
    files: files.map((file) => ({
      id: file.id,
      type: file.type,
      url: file.url,
      threadColors: threadColors(file.metadata),
      isVisible: true,
      fitMethod: null,
      fillMethod: null,
      mimeType: file.mimeType,
      facts: file.facts,
      metadata: file.metadata,
      checks: file.checks,
      checksAccepted: file.checksAccepted,
      replacement: file.replacement,
    })),
    processedFileUrl: main === undefined ? null : linkTo(links, main),
    quantity: item.quantity,
    options: [],
    category: product.categoryId,
    productCategoryUid: product.categoryId,
    productTypeUid: product.productTypeUid,
    productNameUid: product.productNameUid,
    productName: item.productName ?? product.name,
    fulfillmentStatus: item.fulfillmentStatus,
    pageCount: item.pageCount,
    printJobs: jobs,
    eventLog: clientEvents(order.events.filter(({ itemId }) => itemId === item.id)),
    previews: (main?.previews ?? []).map((preview) => ({
      type: preview.type,
      url: linkTo(links, preview)!,
    })),
    designId: null,
    productFileMimeType: main?.mimeType ?? null,
    finalProductUid: product.productUid,
    metadata: item.metadata,
    retailPriceInclVat: item.retailPrice === null ? null : Number(item.retailPrice),
    attributes: product.attributes.map(({ name, title, value, formattedValue }) => ({
      name,
      title,
      value,
      formattedValue,
    })),
    itemReferenceName: product.name,
    isIgnored: false,
    price: item.priceMinor === null ? null : fromMinor(Number(item.priceMinor), order.currency),
    customTrim: item.customTrim,
    fileUrl: main?.url ?? null,
    dpi: item.dpi,
    appServices: [],
    filesSize: files.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
    productVariant: Object.entries(item.productVariant ?? {}).map(([name, value]) => ({ name, value })),
  };
}

/** Returns the thread colors in the metadata of an embroidery file: comma-separated hex values under `threadColors`. */
function threadColors(metadata: readonly { readonly key: string; readonly value: string }[]): string[] {
  return metadata
    .filter(({ key }) => key === 'threadColors')
    .flatMap(({ value }) => value.split(','))
    .map((color) => color.trim())
    .filter((color) => color !== '');
}
