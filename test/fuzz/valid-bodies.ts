import { item, named, order, pack, STICKER, T_SHIRT } from '../api/orders/sample-orders';
import { domesticRequest, internationalRequest } from '../api/shipping/shipping-request';
import { LEEDS_CAPABILITIES, LEEDS_SENDER, leedsPartner } from '../support/rows/partner-setup';
import type { Subject } from './subject';

const sizeValues = [
  {
    variantOptionId: 'size',
    values: [{ value: 'M', attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: 'm' } }] }],
  },
];

/**
 * Returns bodies that satisfy every rule, by operation. Changed copies of them reach the handlers, which bodies generated
 * from the schema alone seldom do.
 */
export function validBodies({
  printOrders,
  jobs,
  items,
  own,
  ids,
}: Subject): Readonly<Record<string, readonly object[]>> {
  const quote = () => {
    const { shippingMethod: _, ...request } = internationalRequest();
    return request;
  };
  const adjust = (partnerSku: string, adjustmentType: string, quantity: number) => ({
    partnerSku,
    adjustmentType,
    quantity,
  });
  const option = {
    id: 'size',
    name: 'Size',
    attributesMapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_size'] }],
  };
  const stockItem = {
    partnerSku: 'frame-wood-black-a4',
    productName: 'Frame',
    minStock: 10,
    maxStock: 50,
    openingQuantity: 30,
    supplier: { uid: 'ramy', unitCost: 12.5, currency: 'EUR' },
  };
  return {
    createChannel: [
      { kind: 'csv', name: 'fuzz', clientId: ids.operator.connectorId?.[0] },
      { kind: 'csv', name: 'fuzz', settings: { preset: 'shopify', defaults: { currency: 'EUR' } } },
    ],
    changeChannel: [{ name: 'renamed' }],
    correctChannelOrder: [{ shippingAddress: { city: 'Potsdam' }, items: [{ itemReferenceId: '1', quantity: 2 }] }],
    storeChannelMapping: [{ sku: 'A3', productUid: STICKER, files: { default: 'https://files.example/a.png' } }],
    startOperatorSession: [{ apiKey: `plk_${'x'.repeat(32)}` }, { oneTimeToken: `pst_${'x'.repeat(43)}` }],
    submitOrder: [
      order(),
      order({ orderType: 'draft' }),
      order({ items: [named()] }),
      order({
        items: [
          item({ productUid: STICKER, quantity: 50 }),
          item({
            itemReferenceId: 'b',
            productUid: T_SHIRT,
            files: [{ type: 'front', url: 'https://files.example/a.png' }],
          }),
        ],
      }),
      order({
        items: [item({ quantity: 5 })],
        packagingInstructions: [pack('item-1', 5)],
        preventDuplicate: true,
      }),
    ],
    patchOrder: [{ currency: 'USD' }, { metadata: [{ key: 'a', value: 'b' }] }, { items: [item({ quantity: 2 })] }],
    quoteOrder: [{ currency: 'EUR', shippingAddress: order().shippingAddress, items: [item()] }],
    searchOrders: [
      { search: 'Ada', limit: 5 },
      { countries: ['DE'], createdFrom: '2020-01-01T00:00:00Z' },
    ],
    updateShipment: [{ shipmentMethodUid: 'express' }, { shippingAddress: order().shippingAddress }],
    replaceFile: [{ url: 'https://files.example/a.png' }],
    cancelOrder: [{ reason: 'changed my mind' }],
    makeClaim: [
      { reason: 'damaged', items: [{ itemReferenceId: 'poster', quantity: 1 }] },
      {
        reason: 'parcel_lost',
        items: [{ itemReferenceId: 'poster', quantity: 2 }],
        pictures: ['https://files.example/a.png'],
      },
    ],
    reviveOrder: [{ reason: 'terminated by mistake' }],
    previewRefund: [{ items: [{ itemReferenceId: 'poster', quantity: 1 }] }],
    decideClaim: [
      { decision: 'refund', liable: 'carrier', reason: 'lost' },
      { decision: 'refuse', message: 'Not damaged.', reason: 'x' },
    ],
    createCustomerProduct: [
      { name: 'Band tee', customerIds: ['*'], productModelId: 't-shirt', variantOptions: [option] },
    ],
    updateCustomerProduct: [{ name: 'Other' }],
    addVariantValues: [sizeValues],
    replaceVariantValues: [sizeValues],
    putAttribute: [{ description: 'Size', properties: [{ id: 'hex', description: 'Colour', type: 'string' }] }],
    addAttributeValues: [[{ id: 'fuzz-value', properties: { hex: '#ff8800', widthMm: 210, order: 1 } }]],
    replaceAttributeValues: [[{ id: 'fuzz-value', description: 'x' }]],
    replaceAttributeValue: [{ id: 'fuzz-value', properties: { hex: '#0f8' } }],
    createProductModel: [
      { name: 'Banner', categoryId: 'banners', productUidTemplate: 'banner_pf_{paper_format}_{orientation}' },
    ],
    updateProductModel: [{ name: 'Banner 2', state: 'active' }, { state: 'inactive' }],
    previewProductModel: [{ name: 'Banner 3' }],
    subscribePartner: [{ orderSubmitUrl: 'https://partner.example/orders', version: '1.0' }],
    postOrderStatus: [
      { timestamp: '2026-01-05T10:00:00Z', orderId: printOrders[0], status: 'received' },
      { timestamp: '2026-01-05T10:00:00+02:00', orderId: printOrders[0], status: 'error', message: 'torn' },
      {
        timestamp: '2026-01-06T10:00:00Z',
        orderId: printOrders[0],
        status: 'shipped',
        trackingCode: 'X1',
        trackingLink: 'https://t.example/X1',
      },
      {
        timestamp: '2026-01-06T10:00:00Z',
        orderId: printOrders[0],
        status: 'cancelled',
        items: [{ orderItemId: jobs[0], quantity: 1 }],
      },
      {
        timestamp: '2026-01-06T10:00:00Z',
        orderId: printOrders[1],
        status: 'received',
        orderItemId: jobs[1],
      },
    ],
    dispatchOrder: printOrders.map((orderId) => ({ orderId })),
    reportStockStatus: [
      { version: '1.0', items: [{ SKU: 'frame-a', status: 'in-stock', amount: 5, replenishmentDate: '' }] },
    ],
    createShippingOrder: [domesticRequest(), internationalRequest()],
    searchShippingOrders: [{ statuses: ['bought'], createdFrom: '2026-01-01T00:00:00Z', limit: 10 }],
    quoteShippingMethods: [quote()],
    receiveCarrierEvents: [
      {
        events: [
          {
            id: 'e-1',
            trackingNumber: 'RR473124829DE',
            statusUid: 'in_transit',
            message: 'moves',
            createdAt: '2026-01-05T10:00:00Z',
          },
        ],
      },
    ],
    createWebhook: [
      { url: 'https://shop.example/hooks' },
      { url: 'https://shop.example/2', events: ['order_status_updated'] },
    ],
    changeWebhook: [{ description: 'new' }, { enabled: false }],
    rotateWebhookSecret: [{ overlapSeconds: 60 }],
    createOperatorWebhook: [{ url: 'https://ops.example/hooks' }],
    changeOperatorWebhook: [{ description: 'new' }],
    createClientWebhook: [{ url: 'https://shop.example/from-operators' }],
    changeClientWebhook: [{ enabled: true }],
    rotateOperatorWebhookSecret: [{ overlapSeconds: 60 }],
    createOperator: [{ name: 'ada', role: 'viewer', keyName: 'laptop' }],
    erasePersonalData: [{ email: 'nobody@example.com' }],
    exportPersonalData: [{ email: 'ada@example.com' }],
    changeOperator: [{ role: 'operator' }],
    rotateOperatorKey: [{ overlapSeconds: 60, name: 'laptop' }],
    changeClient: [{ channel: 'fuzz', iossNumber: null }],
    createClient: [{ name: 'poster-shop' }],
    rotateClientKey: [{ overlapSeconds: 60 }],
    rotatePartnerKey: [{ overlapSeconds: 60 }],
    createPartner: [leedsPartner('prints-leeds')],
    createPartnerSubscription: [{ orderSubmitUrl: 'https://partner.example/orders', documentTypes: 'all' }],
    changePartner: [{ enabled: false }, { senderAddress: LEEDS_SENDER, capabilities: LEEDS_CAPABILITIES }],
    repairOrder: [
      { action: 'hold', reason: 'x' },
      { action: 'release', reason: 'x' },
      { action: 'dismiss', reason: 'x' },
      { action: 'cancel', reason: 'x', itemIds: [items[0]] },
      { action: 'retry', reason: 'x' },
      { action: 'reroute', reason: 'x', itemId: items[0] },
      { action: 'reproduce', reason: 'x', itemId: items[0], quantity: 1 },
    ],
    startBulkRepair: [
      { action: 'hold', reason: 'x', orderIds: own.orderId!.slice(0, 1) },
      { action: 'retry', reason: 'x', orderIds: own.orderId!.slice(0, 1), dryRun: true },
      { action: 'reroute', reason: 'x', filter: { attention: ['partner_error'], countries: ['DE'] } },
    ],
    addOrderNote: [{ text: 'Called the partner' }],
    replayDeadMessages: [{}, { ids: ['1', '2'], reason: 'repaired' }, { kind: 'notification' }, { target: 'order-1' }],
    listProcurementOrders: [
      {},
      {
        filterBy: { dateFrom: '2026-01-01', status: ['supplier'] },
        pagination: { pageNumber: 1, perPage: 10 },
      },
    ],
    listInventoryConsumption: [{}, { filterBy: { partnerSku: ['frame-wood-black-a4'], printJobId: [1] } }],
    listInventory: [
      {},
      { filterBy: { partnerSku: ['frame-wood-black-a4'] }, pagination: { pageNumber: 1, perPage: 5 } },
    ],
    adjustStock: [
      { adjustments: [adjust('frame-wood-black-a4', 'add', 5)] },
      {
        adjustments: [
          adjust('frame-wood-black-a4', 'consume', 3),
          { ...adjust('frame-wood-oak-a3', 'add', 1), referenceId: 'r-1' },
          adjust('no-such', 'add', 1),
        ],
      },
    ],
    setSandboxFileFault: [{ status: 500 }],
    setSandboxLabelFault: [{ message: 'The depot is full.' }],
    setSandboxBehaviour: [{ behaviour: 'refuses', times: 1 }],
    sendSandboxPostback: [{ printOrderId: printOrders[0], status: 'received' }],
    requestSandboxDispatch: [{ printOrderId: printOrders[0] }],
    sendSandboxCarrierEvent: [{ trackingNumber: 'RR473124829DE', statusUid: 'in_transit' }],
    setUpStockItems: [{ items: [stockItem] }],
    orderAgain: [{ reason: 'Asked by phone.', first: 'keep' }],
    reprintOrder: [{ reason: 'The parcel was lost.' }],
    correctStock: [{ adjustmentType: 'add', quantity: 2, reason: 'Counted again.' }],
    loadTaxRates: [
      { rates: [{ country: 'DE', category: 'standard', rate: '0.19', source: 'The VAT act, section 12' }] },
    ],
    decodePayloads: [{ payloads: [{ metadata: {}, data: 'e30=' }] }],
    confirmServers: [{ reason: 'The namespace was created again.' }],
    loadExchangeRates: [{ perEuro: { USD: '1.08', PLN: '4.3' } }],
    issueStatements: [{ month: '2026-01' }],
    moveProcurementOrder: [{ status: 'confirmed', shippingCost: 9.9 }],
    receiveProcurementOrder: [{ receiptId: 'note-1', items: [{ partnerSku: 'frame-wood-black-a4', quantity: 1 }] }],
    attachProcurementInvoice: [{ url: 'https://supplier.example/7.pdf', originalFilename: '7.pdf' }],
  };
}
