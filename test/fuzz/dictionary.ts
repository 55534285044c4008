import { POSTER, STICKER, T_SHIRT } from '../api/orders/sample-orders';
import type { Dictionary } from './json-schema-values';
import type { Subject } from './subject';

/** Returns values that the service knows, by the name of the field that accepts them. */
export function dictionaryOf({ printOrders, jobs, items, ids }: Subject): Dictionary {
  const modelIds = ['t-shirt', 'blank-t-shirt', 'framed-poster', 'poster', 'none'];
  return {
    productUid: [POSTER, T_SHIRT, STICKER, 'no_such_product', 'flat_product_pf_a3'],
    productName: ['Classic tee', 'nothing'],
    country: ['DE', 'US', 'JP', 'CH', 'GB', 'AU'],
    countryOfOrigin: ['DE', 'CN'],
    currency: ['EUR', 'USD', 'JPY', 'KWD', 'PLN'],
    retailCurrency: ['EUR', 'USD', 'JPY'],
    phone: ['+49 30 901820', '+13125550188'],
    email: ['ada@example.com'],
    url: ['https://files.example/print.pdf', 'https://files.example/ä.png?x=1'],
    fileUrl: ['https://files.example/slip.pdf'],
    type: ['default', 'front', 'back', 'inside'],
    shipmentMethodUid: ['standard', 'express', 'tern_parcel_domestic', 'normal,standard,fed_ex_2_day'],
    uid: ['tern_parcel_domestic', 'corvid_post_tracked', ''],
    orderId: [...printOrders, '1', '999999999999999999'],
    orderItemId: [...jobs, '1'],
    itemIds: [...items, '1'],
    itemId: [...items, '1'],
    partnerSku: ['frame-wood-black-a4', 'frame-wood-oak-a3', 'tee-navy-m', 'none'],
    SKU: ['frame-wood-black-a4', 'sku-1'],
    productModelId: modelIds,
    modelId: modelIds,
    partModelId: modelIds,
    attributeIds: ['apparel_size', 'apparel_color', 'paper_format'],
    customerIds: ['*'],
    timeZone: ['Europe/Berlin', 'America/New_York', 'Mars/Olympus'],
    hsCode: ['4911.91'],
    trackingNumber: ['RR473124829DE'],
    partnerId: ids.operator.partnerId ?? [],
    cursor: ['MjAyNi0wMS0wNVQxMDowMDowMC4wMDAwMDBaIDE', 'x', 'eyJhIjoxfQ'],
  };
}
