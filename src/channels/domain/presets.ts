/**
 * Columns of common exports of orders, by our field: the first named column with a value is taken. Sources: the column lists
 * that each system publishes for its export. A field of ours that is a column itself is read as well.
 */
type Preset = Readonly<Record<string, readonly string[]>>;

export const ADDRESS_FIELDS =
  'country firstName lastName companyName addressLine1 addressLine2 city postCode state email phone isBusiness federalTaxId stateTaxId registrationState'.split(
    ' ',
  );

export const PRESETS = {
  /** Our own names only. */
  pressline: {},
  /** Orders > Export of the Shopify admin. */
  shopify: {
    orderReferenceId: ['Name'],
    currency: ['Currency'],
    retailCurrency: ['Currency'],
    retailShippingPriceInclVat: ['Shipping'],
    canceled: ['Cancelled at'],
    'shippingAddress.fullName': ['Shipping Name'],
    'shippingAddress.companyName': ['Shipping Company'],
    'shippingAddress.addressLine1': ['Shipping Address1', 'Shipping Street'],
    'shippingAddress.addressLine2': ['Shipping Address2'],
    'shippingAddress.city': ['Shipping City'],
    'shippingAddress.postCode': ['Shipping Zip'],
    'shippingAddress.state': ['Shipping Province'],
    'shippingAddress.country': ['Shipping Country'],
    'shippingAddress.phone': ['Shipping Phone', 'Phone', 'Billing Phone'],
    'shippingAddress.email': ['Email'],
    'items.sku': ['Lineitem sku'],
    'items.quantity': ['Lineitem quantity'],
    'items.retailUnitPrice': ['Lineitem price'],
  },
  /** Order items of Etsy's Shop Manager (EtsySoldOrderItems). It has no e-mail address and no phone: give defaults. */
  etsy: {
    orderReferenceId: ['Order ID'],
    currency: ['Currency'],
    retailCurrency: ['Currency'],
    retailShippingPriceInclVat: ['Order Shipping'],
    'shippingAddress.fullName': ['Ship Name'],
    'shippingAddress.addressLine1': ['Ship Address1'],
    'shippingAddress.addressLine2': ['Ship Address2'],
    'shippingAddress.city': ['Ship City'],
    'shippingAddress.state': ['Ship State'],
    'shippingAddress.postCode': ['Ship Zipcode'],
    'shippingAddress.country': ['Ship Country'],
    'items.itemReferenceId': ['Transaction ID'],
    'items.variantId': ['Listing ID'],
    'items.sku': ['SKU'],
    'items.quantity': ['Quantity'],
    'items.retailUnitPrice': ['Price'],
  },
  /** The names of Order Desk's order fields, with its print_* metadata as columns. */
  orderdesk: {
    orderReferenceId: ['Source ID', 'source_id', 'Order ID', 'id'],
    currency: ['Currency', 'currency_code'],
    'shippingAddress.email': ['Email', 'email'],
    'shippingAddress.firstName': ['Shipping First Name', 'shipping_first_name'],
    'shippingAddress.lastName': ['Shipping Last Name', 'shipping_last_name'],
    'shippingAddress.companyName': ['Shipping Company', 'shipping_company'],
    'shippingAddress.addressLine1': ['Shipping Address 1', 'shipping_address1'],
    'shippingAddress.addressLine2': ['Shipping Address 2', 'shipping_address2'],
    'shippingAddress.city': ['Shipping City', 'shipping_city'],
    'shippingAddress.state': ['Shipping State', 'shipping_state'],
    'shippingAddress.postCode': ['Shipping Postal Code', 'shipping_postal_code'],
    'shippingAddress.country': ['Shipping Country', 'shipping_country'],
    'shippingAddress.phone': ['Shipping Phone', 'shipping_phone'],
    'items.itemReferenceId': ['Item ID', 'item_id'],
    'items.sku': ['print_sku', 'Item SKU', 'Item Code', 'item_code'],
    'items.quantity': ['Item Quantity', 'item_quantity'],
    'items.retailUnitPrice': ['Item Price', 'item_price'],
    'items.files.default': ['print_url'],
  },
  /** The order template of GelatoConnect: the names of its order API, with or without the group. */
  gelatoconnect: {
    ...Object.fromEntries(
      ADDRESS_FIELDS.map((field) => [`shippingAddress.${field}`, [`shippingAddress_${field}`, field]]),
    ),
    'items.itemReferenceId': ['itemReferenceId'],
    'items.productUid': ['productUid'],
    'items.quantity': ['quantity'],
    'items.files.default': ['fileUrl', 'file_default', 'default'],
    'items.files.front': ['file_front', 'front'],
    'items.files.back': ['file_back', 'back'],
    shipmentMethodUid: ['shipmentMethodUid'],
  },
  /** The order CSV import of Kornit X. Address lines 3 and 4 are its town and its county. */
  kornitx: {
    orderReferenceId: ['order.external_ref'],
    'shippingAddress.fullName': ['order.customer_name'],
    'shippingAddress.email': ['order.customer_email'],
    'shippingAddress.phone': ['order.customer_telephone'],
    'shippingAddress.companyName': ['order.shipping_company'],
    'shippingAddress.addressLine1': ['order.shipping_address_1'],
    'shippingAddress.addressLine2': ['order.shipping_address_2'],
    'shippingAddress.city': ['order.shipping_address_3'],
    'shippingAddress.state': ['order.shipping_address_4'],
    'shippingAddress.postCode': ['order.shipping_postcode'],
    'shippingAddress.country': ['order.shipping_country_code', 'order.shipping_country'],
    'items.itemReferenceId': ['item.external_ref'],
    'items.sku': ['item.sku'],
    'items.quantity': ['item.quantity'],
    'items.retailUnitPrice': ['item.unit_sale_price'],
    'items.files.default': ['item.external_url'],
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]];
