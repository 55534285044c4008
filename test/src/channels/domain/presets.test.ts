import { type CsvRaw, csvOrder, csvSettings } from '../../../../src/channels/domain/csv-order';
import { mappedOrder } from '../../../../src/channels/domain/order-content';
import { submitOrderSchema } from '../../../../src/orders/planning/order-schemas';

/** Each preset reads a file with the columns that its system publishes. */

const POSTER = 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver';
const FILE = 'https://files.example/a.pdf';

interface Example {
  /** The columns of the export, as the system lists them. */
  readonly columns: string;
  readonly rows: readonly Readonly<Record<string, string>>[];
  readonly defaults?: Record<string, string>;
  /** Key of the mapping that the lines need. Absent: they name products of ours. */
  readonly key?: string;
  readonly reads: object;
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  shopify: {
    columns:
      'Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Accepts Marketing,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem compare at price,Lineitem sku,Lineitem requires shipping,Lineitem taxable,Lineitem fulfillment status,Billing Name,Billing Street,Billing Address1,Billing Address2,Billing Company,Billing City,Billing Zip,Billing Province,Billing Country,Billing Phone,Shipping Name,Shipping Street,Shipping Address1,Shipping Address2,Shipping Company,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone,Notes,Note Attributes,Cancelled at,Payment Method,Payment Reference,Refunded Amount,Vendor,Id,Tags,Risk Level,Source,Lineitem discount',
    rows: [
      {
        Name: '#1001',
        Email: 'ada@example.com',
        Currency: 'USD',
        Shipping: '4.90',
        'Lineitem quantity': '2',
        'Lineitem price': '9.50',
        'Lineitem sku': 'A3',
        'Shipping Name': 'Ada King Byron',
        'Shipping Address1': '1 Main St',
        'Shipping City': 'Boston',
        'Shipping Zip': "'02101",
        'Shipping Province': 'MA',
        'Shipping Country': 'US',
        'Shipping Phone': '+1 617 555 2671',
      },
      {
        Name: '#1001',
        Email: 'ada@example.com',
        'Lineitem quantity': '1',
        'Lineitem price': '3',
        'Lineitem sku': 'A3',
      },
    ],
    key: 'sku:A3',
    reads: {
      orderReferenceId: '#1001',
      currency: 'USD',
      retailCurrency: 'USD',
      retailShippingPriceInclVat: 4.9,
      shippingAddress: { firstName: 'Ada King', lastName: 'Byron', postCode: '02101', state: 'MA', country: 'US' },
      items: [
        { itemReferenceId: '1', quantity: 2, retailPriceInclVat: 19 },
        { itemReferenceId: '2', quantity: 1, retailPriceInclVat: 3 },
      ],
    },
  },
  etsy: {
    columns:
      'Sale Date,Item Name,Buyer,Quantity,Price,Coupon Code,Coupon Details,Discount Amount,Shipping Discount,Order Shipping,Order Sales Tax,Item Total,Currency,Transaction ID,Listing ID,Date Paid,Date Shipped,Ship Name,Ship Address1,Ship Address2,Ship City,Ship State,Ship Zipcode,Ship Country,Order ID,Variations,Order Type,Listings Type,Payment Type,InPerson Discount,InPerson Location,VAT Paid by Buyer,SKU',
    rows: [
      {
        Quantity: '1',
        Price: '38.99',
        'Order Shipping': '8',
        Currency: 'USD',
        'Transaction ID': '5034190758',
        'Listing ID': '4347345198',
        'Ship Name': 'Byron',
        'Ship Address1': '57 S 3rd St',
        'Ship City': 'Brooklyn',
        'Ship State': 'NY',
        'Ship Zipcode': '11249',
        'Ship Country': 'United States',
        'Order ID': '4037941285',
      },
    ],
    defaults: { 'shippingAddress.email': 'shop@example.com', 'shippingAddress.phone': '+49 30 901820' },
    key: 'variant:4347345198',
    reads: {
      orderReferenceId: '4037941285',
      shippingAddress: { firstName: '', lastName: 'Byron', state: 'NY', country: 'US', email: 'shop@example.com' },
      items: [{ itemReferenceId: '5034190758', quantity: 1, retailPriceInclVat: 38.99 }],
    },
  },
  orderdesk: {
    columns:
      'Order ID,Source ID,Email,Currency,Shipping First Name,Shipping Last Name,Shipping Company,Shipping Address 1,Shipping Address 2,Shipping City,Shipping State,Shipping Postal Code,Shipping Country,Shipping Phone,Item ID,Item Name,Item SKU,Item Quantity,Item Price,print_sku,print_url,print_location',
    rows: [
      {
        'Order ID': '9',
        'Source ID': 'W-77',
        Email: 'ada@example.com',
        Currency: 'EUR',
        'Shipping First Name': 'Ada',
        'Shipping Last Name': 'Byron',
        'Shipping Address 1': 'Torstraße 1',
        'Shipping City': 'Berlin',
        'Shipping Postal Code': '10119',
        'Shipping Country': 'DE',
        'Shipping Phone': '+49 30 901820',
        'Item SKU': 'IN-SHOP',
        'Item Quantity': '4',
        print_sku: 'A3',
        print_url: FILE,
      },
    ],
    key: 'sku:A3',
    reads: {
      orderReferenceId: 'W-77',
      shippingAddress: { firstName: 'Ada', addressLine1: 'Torstraße 1', postCode: '10119' },
      items: [{ quantity: 4, files: [{ type: 'default', url: FILE }] }],
    },
  },
  gelatoconnect: {
    columns:
      'orderReferenceId,currency,firstName,lastName,companyName,addressLine1,addressLine2,city,postCode,state,country,email,phone,itemReferenceId,productUid,quantity,fileUrl',
    rows: [
      {
        orderReferenceId: 'g-1',
        currency: 'EUR',
        firstName: 'Ada',
        lastName: 'Byron',
        addressLine1: 'Torstraße 1',
        city: 'Berlin',
        postCode: '10119',
        country: 'DE',
        email: 'ada@example.com',
        phone: '+49 30 901820',
        itemReferenceId: 'i-1',
        productUid: POSTER,
        quantity: '1',
        fileUrl: FILE,
      },
    ],
    reads: {
      orderReferenceId: 'g-1',
      shippingAddress: { firstName: 'Ada', city: 'Berlin' },
      items: [{ itemReferenceId: 'i-1', productUid: POSTER, files: [{ type: 'default', url: FILE }] }],
    },
  },
  kornitx: {
    columns:
      'order.external_ref,order.sale_datetime,order.shipping_company,order.shipping_address_1,order.shipping_address_2,order.shipping_address_3,order.shipping_address_4,order.shipping_address_5,order.shipping_postcode,order.shipping_country,order.shipping_country_code,order.shipping_method,order.customer_name,order.customer_email,item.sku,item.description,item.quantity,item.type,item.external_url',
    rows: [
      {
        'order.external_ref': 'k-1',
        'order.shipping_address_1': '1 High Street',
        'order.shipping_address_3': 'Leeds',
        'order.shipping_postcode': 'LS1 4AP',
        'order.shipping_country': 'United Kingdom',
        'order.customer_name': 'Ada Byron',
        'order.customer_email': 'ada@example.com',
        'item.sku': 'A3',
        'item.quantity': '2',
        'item.external_url': FILE,
      },
    ],
    defaults: { currency: 'GBP', 'shippingAddress.phone': '+44 20 7946 0958' },
    key: 'sku:A3',
    reads: {
      orderReferenceId: 'k-1',
      currency: 'GBP',
      shippingAddress: { lastName: 'Byron', city: 'Leeds', country: 'GB' },
      items: [{ quantity: 2, files: [{ type: 'default', url: FILE }] }],
    },
  },
};

test.each(Object.entries(EXAMPLES))(
  'a file of %s becomes an order',
  (preset, { columns, rows, defaults = {}, key, reads }) => {
    const settings = csvSettings.parse({ preset, defaults });
    for (const name of rows.flatMap((row) => Object.keys(row))) expect(columns.split(',')).toContain(name);
    const raw: CsvRaw = { decimal: 'point', lines: rows.map((fields, index) => ({ line: index + 2, fields })) };
    const target = {
      ignore: false,
      productUid: POSTER,
      optionFields: {},
      files: { default: FILE },
      fileFields: {},
      quantityFactor: 1,
    };
    const { body, reasons } = mappedOrder(csvOrder(raw, settings), new Map(key === undefined ? [] : [[key, target]]));
    expect(reasons).toEqual([]);
    expect(submitOrderSchema.parse(body)).toMatchObject(reads);
  },
);

test('a cell that is empty in later rows of an order is the one of its first row', () => {
  const lines = [
    { line: 2, fields: { orderReferenceId: 'a', currency: 'EUR', 'items.sku': 'x', 'items.quantity': '1' } },
    { line: 3, fields: { orderReferenceId: 'a', 'items.sku': 'y', 'items.quantity': '1' } },
    { line: 4, fields: { orderReferenceId: 'a', 'metadata.gift': 'yes' } },
  ];
  const read = csvOrder({ decimal: null, lines }, csvSettings.parse({}));
  expect(read.order).toMatchObject({ currency: 'EUR', metadata: [{ key: 'gift', value: 'yes' }] });
  expect(read.lines.map(({ sku }) => sku)).toEqual(['x', 'y']);
});

test('a column of the channel replaces that of its preset, and null removes it', () => {
  const settings = csvSettings.parse({
    preset: 'shopify',
    columns: { 'items.sku': 'Vendor', 'items.retailUnitPrice': null },
  });
  const fields = { Name: '1', Vendor: 'v', 'Lineitem sku': 's', 'Lineitem price': '2', 'Lineitem quantity': '1' };
  const [line] = csvOrder({ decimal: null, lines: [{ line: 2, fields }] }, settings).lines;
  expect(line).toMatchObject({ sku: 'v', item: { retailPriceInclVat: undefined } });
});
