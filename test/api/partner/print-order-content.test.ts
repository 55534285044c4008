import { type TestStack, testStack } from '../../support/stack';
import {
  addressIn,
  DIE_CUT_STICKER,
  framedPoster,
  goodFile,
  type OrderBody,
  orderOf,
  POSTER,
  poster,
  readUntil,
  sticker,
  tShirt,
} from '../../workflows/order/client-orders';
import { attributesNamed, linesOf, sentOrder } from './print-order-reader';

/** What print orders contain, from the submitted order over HTTP to the partner's view of the print order. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const setClient = async (settings: object) => {
  const { connectors } = await stack.operator.listClients({ query: {} });
  const { id } = connectors.find(({ name }) => name === 'demo-client')!;
  await stack.operator.changeClient({ params: { connectorId: id }, body: settings });
};

const package1 = { packageItems: [{ orderItemReferenceId: 'poster', quantity: 1 }] };

describe('customTrim', () => {
  // The sandbox has no files of these sizes.
  beforeAll(async () => await setClient({ fileChecks: { errors: 'warn', warnings: 'warn' } }));
  afterAll(async () => await setClient({ fileChecks: null }));

  test('is an attribute with width and height, and sets the price of the smallest size that contains it', async () => {
    const a2 = POSTER.replace('a4', 'a2');
    // 300 x 200 mm fits no A4 (210 x 297), but the size 200 x 300 mm; the ordered size is larger.
    const customTrim = { widthMm: 300, heightMm: 200 };
    const { orderId, printOrders } = await sentOrder(stack, {
      items: [
        poster(stack, { itemReferenceId: 'trimmed', productUid: a2, customTrim }),
        poster(stack, { itemReferenceId: 'whole', productUid: a2 }),
        poster(stack, { itemReferenceId: 'small', productUid: POSTER.replace('a4', '200x300-mm') }),
      ],
    });
    expect(attributesNamed(printOrders[0]!, 'CustomTrim')).toEqual([
      {
        name: 'CustomTrim',
        value: '300x200-mm',
        properties: [
          { name: 'Width', value: '300' },
          { name: 'Height', value: '200' },
        ],
      },
    ]);
    const { items } = await stack.client.getOrder({ params: { orderId } });
    const [trimmed, whole, small] = items.map(({ price }) => price);
    expect(trimmed).toBe(small);
    expect(trimmed).toBeLessThan(whole!);
  });

  test('is no attribute of an item without a trim', async () => {
    const { printOrders } = await sentOrder(stack, {});
    expect(attributesNamed(printOrders[0]!, 'CustomTrim')).toEqual([]);
  });
});

describe('brandedPackaging', () => {
  afterEach(async () => await setClient({ brandedPackaging: null }));

  test('is absent without an instruction and without a setting', async () => {
    const { printOrders } = await sentOrder(stack, { packagingInstructions: [package1] });
    expect(printOrders[0]).not.toHaveProperty('brandedPackaging');
  });

  test('is the setting of the client', async () => {
    await setClient({ brandedPackaging: 'shop-tissue' });
    const { printOrders } = await sentOrder(stack, { packagingInstructions: [package1] });
    expect(printOrders[0]).toMatchObject({ brandedPackaging: 'shop-tissue' });
  });

  test('of a packaging instruction takes precedence over the setting', async () => {
    await setClient({ brandedPackaging: 'shop-tissue' });
    const instruction = { ...package1, brandedPackaging: 'gift-box' };
    const { printOrders } = await sentOrder(stack, { packagingInstructions: [instruction] });
    expect(printOrders[0]).toMatchObject({ brandedPackaging: 'gift-box' });
  });

  test('of each package is that of its instruction, else the setting', async () => {
    await setClient({ brandedPackaging: 'shop-tissue' });
    const { printOrders } = await sentOrder(stack, {
      items: [poster(stack, { quantity: 3 })],
      packagingInstructions: [
        { ...package1, brandedPackaging: 'gift-box' },
        package1,
        { ...package1, brandedPackaging: 'tube' },
      ],
    });
    expect(printOrders[0]).not.toHaveProperty('brandedPackaging');
    expect(printOrders[0]!.packages!.map(({ brandedPackaging }) => brandedPackaging)).toEqual([
      'gift-box',
      'shop-tissue',
      'tube',
    ]);
  });

  test('is in the apparel print orders of version 1.1, and in none of version 1.0', async () => {
    const instruction = {
      packageItems: [{ orderItemReferenceId: 'shirt', quantity: 1 }],
      brandedPackaging: 'gift-box',
    };
    const shirts = {
      shippingAddress: addressIn.US,
      items: [tShirt(stack, { itemReferenceId: 'shirt' })],
      packagingInstructions: [instruction],
    };
    const brandings = async () => {
      const { printOrders } = await sentOrder(stack, shirts);
      const { version, brandedPackaging, packages } = printOrders[0]!;
      return { version, brandings: [brandedPackaging, ...packages!.map((pack) => pack.brandedPackaging)] };
    };
    expect(await brandings()).toEqual({ version: '1.0', brandings: [undefined, undefined] });
    await stack.services.sql`UPDATE partners SET print_order_version = '1.1'`;
    try {
      expect(await brandings()).toEqual({ version: '1.1', brandings: ['gift-box', 'gift-box'] });
    } finally {
      await stack.services.sql`UPDATE partners SET print_order_version = NULL`;
    }
  });
});

describe('packages', () => {
  const items = () => [poster(stack, { quantity: 3 }), poster(stack, { itemReferenceId: 'other' })];

  test('are absent without instructions when one package is planned', async () => {
    const { printOrders } = await sentOrder(stack, {});
    expect(printOrders[0]).not.toHaveProperty('packages');
  });

  test('follow the instructions, with the packing slip of the client', async () => {
    const { printOrders } = await sentOrder(stack, {
      items: items(),
      packagingInstructions: [
        {
          packageItems: [
            { orderItemReferenceId: 'poster', quantity: 2 },
            { orderItemReferenceId: 'other', quantity: 1 },
          ],
          packingSlip: { fileUrl: goodFile(stack, 'packing-slip.pdf') },
        },
        package1,
      ],
    });
    const [first, second] = linesOf(printOrders[0]!).map(({ id }) => id);
    expect(printOrders[0]!.packages).toEqual([
      {
        packageReferenceId: 'P-1',
        items: [
          { orderItemId: first, quantity: 2 },
          { orderItemId: second, quantity: 1 },
        ],
        packingSlipUrl: expect.any(String),
      },
      { packageReferenceId: 'P-2', items: [{ orderItemId: first, quantity: 1 }] },
    ]);
    const slip = await fetch(printOrders[0]!.packages![0]!.packingSlipUrl!);
    expect(slip.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await slip.arrayBuffer()).toString('latin1', 0, 5)).toBe('%PDF-');
  });

  test('are listed without instructions when several are planned', async () => {
    const { printOrders } = await sentOrder(stack, { items: [poster(stack, { quantity: 12 })] });
    const [id] = linesOf(printOrders[0]!).map((line) => line.id);
    expect(printOrders[0]!.packages).toEqual([
      { packageReferenceId: 'P-1', items: [{ orderItemId: id, quantity: 10 }] },
      { packageReferenceId: 'P-2', items: [{ orderItemId: id, quantity: 2 }] },
    ]);
  });
});

describe('sender', () => {
  const senders = (printOrder: { shipping: { address: readonly { type: string }[] } }) =>
    printOrder.shipping.address.filter(({ type }) => type === 'sender');

  test('is the partner without a return address', async () => {
    const { printOrders } = await sentOrder(stack, {});
    expect(senders(printOrders[0]!)).toMatchObject([{ addressLine1: 'Ritterstraße 12', city: 'Berlin' }]);
  });

  test('is the return address of the client where one is set', async () => {
    await setClient({
      returnAddress: {
        country: 'FR',
        companyName: 'Boutique Ada',
        addressLine1: '5 rue de Rivoli',
        city: 'Paris',
        postCode: '75004',
      },
    });
    try {
      const { printOrders } = await sentOrder(stack, {});
      expect(senders(printOrders[0]!)).toMatchObject([
        {
          companyName: 'Boutique Ada',
          addressLine1: '5 rue de Rivoli',
          city: 'Paris',
          postalCode: '75004',
          countryCode: 'FR',
        },
      ]);
      expect(JSON.stringify(printOrders[0]!.shipping)).not.toContain('Ritterstra');
    } finally {
      await setClient({ returnAddress: null });
    }
  });
});

describe('customs tax', () => {
  afterEach(async () => await setClient({ iossNumber: null }));
  const retail = { currency: 'EUR', retailCurrency: 'EUR', retailShippingPriceInclVat: 5 };
  const shirtTo = (country: 'DE' | 'FR' | 'CH', retailPriceInclVat: number) => ({
    ...retail,
    shippingAddress: addressIn[country],
    items: [tShirt(stack, { retailPriceInclVat })],
  });

  test('is the VAT of the destination on the goods for an IOSS consignment', async () => {
    await setClient({ iossNumber: 'IM2760000742' });
    const { printOrders } = await sentOrder(stack, shirtTo('FR', 24.99));
    // 20 % of 24.99 EUR.
    expect(printOrders[0]!.shipping.customs).toEqual({ priceTotal: 24.99, tax: 5, currencyCode: 'EUR' });
  });

  test('is 0 above the limit of the IOSS, outside the EU, and within one customs territory', async () => {
    await setClient({ iossNumber: 'IM2760000742' });
    const domestic = { ...retail, items: [poster(stack, { retailPriceInclVat: 20 })] };
    const cases: [Partial<OrderBody>, number][] = [
      [shirtTo('FR', 180), 180],
      [shirtTo('CH', 24.99), 24.99],
      [domestic, 0],
    ];
    for (const [body, priceTotal] of cases) {
      const { printOrders } = await sentOrder(stack, body);
      expect(printOrders[0]!.shipping.customs).toEqual({ priceTotal, tax: 0, currencyCode: 'EUR' });
    }
  });

  test('is 0 without an IOSS number', async () => {
    const { printOrders } = await sentOrder(stack, shirtTo('FR', 24.99));
    expect(printOrders[0]!.shipping.customs).toEqual({ priceTotal: 24.99, tax: 0, currencyCode: 'EUR' });
  });
});

describe('apparel', () => {
  const retail = { retailCurrency: 'EUR', retailShippingPriceInclVat: 5, shippingAddress: addressIn.US };
  const shirt = (sides: string, files: { type: string; metadata?: { key: string; value: string }[] }[]) => ({
    ...retail,
    items: [
      tShirt(stack, {
        productUid: `apparel_product_gca_t-shirt_gsi_m_gco_white_gpr_${sides}`,
        files: files.map((file) => ({ ...file, url: goodFile(stack, 't-shirt-front.png') })),
        retailPriceInclVat: 20,
      }),
    ],
  });
  const assetTypes = (order: Parameters<typeof linesOf>[0]) => linesOf(order)[0]!.assets!.map(({ type }) => type);

  test.each([
    ['4-0', [{ type: 'default' }], ['front', 'front_preview'], 'front'],
    ['0-4', [{ type: 'default' }], ['back', 'back_preview'], 'back'],
    ['4-4', [{ type: 'back' }, { type: 'front' }], ['front', 'front_preview', 'back', 'back_preview'], 'front+back'],
  ])('of color type %s has the assets of its sides', async (sides, files, types, location) => {
    const { printOrders } = await sentOrder(stack, shirt(sides, files));
    expect(assetTypes(printOrders[0]!)).toEqual(types);
    expect(attributesNamed(printOrders[0]!, 'location')).toEqual([{ name: 'location', value: location }]);
  });

  test('a PDF with a page for each side is two assets, which name their pages', async () => {
    const files = [{ type: 'default', url: `${goodFile(stack, 'poster-a3.pdf')}?pages=2` }];
    const { printOrders } = await sentOrder(stack, {
      ...retail,
      items: [tShirt(stack, { files, retailPriceInclVat: 20 })],
    });
    const assets = linesOf(printOrders[0]!)[0]!.assets!;
    expect(assets.map(({ type, fileType, page, format }) => [type, fileType, page ?? null, format])).toEqual([
      ['front', 'front', 1, 'pdf'],
      ['front_preview', 'front', null, 'jpeg'],
      ['back', 'back', 2, 'pdf'],
      ['back_preview', 'back', 2, 'pdf'],
    ]);
    expect(assets[0]!.url).toBe(assets[2]!.url);
    expect(attributesNamed(printOrders[0]!, 'location')).toEqual([{ name: 'location', value: 'front+back' }]);
  });

  test('a two-sided garment with a file of one page is refused', async () => {
    const files = [{ type: 'default', url: goodFile(stack, 'poster-a3.pdf') }];
    const { id } = await stack.client.submitOrder({
      body: orderOf(stack, { ...retail, items: [tShirt(stack, { files, retailPriceInclVat: 20 })] }),
    });
    const failed = await readUntil(stack.client, id, ({ fulfillmentStatus }) => fulfillmentStatus === 'failed');
    expect(failed.refusalReasonCode).toBe('file_page_count_mismatch');
  });

  test('a print and an embroidery of one side each name their position; its text and thread colors are properties', async () => {
    const metadata = [
      { key: 'text', value: 'ADA' },
      { key: 'threadColors', value: '#FFFFFF, #CC3333' },
    ];
    const { orderId, printOrders } = await sentOrder(
      stack,
      shirt('4-0', [{ type: 'front' }, { type: 'chest-left-embroidery', metadata }]),
    );
    const places = linesOf(printOrders[0]!)[0]!.assets!.map(({ type, fileType }) => [type, fileType]);
    expect(places).toEqual(
      ['front', 'chest-left-embroidery'].flatMap((position) => [
        ['front', position],
        ['front_preview', position],
      ]),
    );
    expect(attributesNamed(printOrders[0]!, 'location')).toEqual([
      {
        name: 'location',
        value: 'front+chest-left-embroidery',
        properties: [
          { name: 'text', value: 'ADA' },
          { name: 'threadColors', value: '#FFFFFF, #CC3333' },
        ],
      },
    ]);
    const { items } = await stack.client.getOrder({ params: { orderId } });
    expect(items[0]!.files.map(({ type, threadColors }) => [type, threadColors])).toEqual([
      ['front', []],
      ['chest-left-embroidery', ['#FFFFFF', '#CC3333']],
    ]);
  });
});

test('an asset has what was found in its file, with a link to the full report', async () => {
  const coarse = poster(stack, {
    itemReferenceId: 'coarse',
    productUid: POSTER.replace('_a4_', '_a2_'),
    files: [{ type: 'default', url: goodFile(stack, 'poster-a3.jpg') }],
  });
  const { printOrders } = await sentOrder(stack, { items: [poster(stack), coarse] });
  const [good, found] = linesOf(printOrders[0]!).map(({ assets }) => assets![0]!.report!);
  expect(good).toMatchObject({ pageCount: 1, widthMm: 210, heightMm: 297, findings: [] });
  expect(found).toMatchObject({ pageCount: 1, widthMm: null, heightMm: null, findings: ['resolution'] });
  const response = await fetch(found!.url);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toMatchObject({
    fileType: 'default',
    mimeType: 'image/jpeg',
    checks: [{ code: 'resolution', severity: 'warning' }],
    facts: { complete: true, image: { model: 'rgb' } },
  });
  const altered = found!.url.replace('/documents/', '/documents/A');
  expect((await fetch(altered)).status).toBe(403);
});

test('metadata of a file is with its asset', async () => {
  const metadata = [{ key: 'finish', value: 'matt, edges glossy' }];
  const files = [{ type: 'default', url: goodFile(stack, 'poster-a4.pdf'), metadata }];
  const { orderId, printOrders } = await sentOrder(stack, { items: [poster(stack, { files })] });
  expect(linesOf(printOrders[0]!)[0]!.assets).toMatchObject([{ format: 'pdf', metadata }]);
  const { items } = await stack.client.getOrder({ params: { orderId } });
  expect(items[0]!.files[0]!.metadata).toEqual(metadata);
});

describe('custom file types', () => {
  test('stand beside the assets of the item, which keep to the types of assets', async () => {
    const files = ['artwork', 'cut-line', 'default'].map((type) => ({ type, url: goodFile(stack, 'sticker-75.png') }));
    const { printOrders } = await sentOrder(stack, { items: [sticker(stack, { productUid: DIE_CUT_STICKER, files })] });
    const assets = linesOf(printOrders[0]!)[0]!.assets!;
    expect(assets.map(({ type, fileType }) => [type ?? null, fileType])).toEqual([
      [null, 'artwork'],
      [null, 'cut-line'],
      ['front', 'default'],
    ]);
  });
});

describe('stock product', () => {
  beforeAll(async () => {
    await stack.operator.createProductModel({
      body: {
        id: 'frame-alone',
        name: 'Frame alone',
        categoryId: 'frames',
        productUidTemplate: 'frame_alone_{paper_format}_{frame_material}',
        state: 'active',
        parts: [{ modelId: 'poster-frame', name: 'Frame' }],
        // A model that both demo partners offer.
        production: { modelUid: 'flat_product', priceList: { EUR: [{ from: 1, unitMinor: 2_000 }] } },
      },
    });
    await stack.operator.createProductModel({
      body: {
        id: 'frame-itself',
        name: 'Frame itself',
        categoryId: 'frames',
        productUidTemplate: 'frame_itself_{paper_format}_{frame_material}',
        state: 'active',
        production: {
          modelUid: 'flat_product',
          partType: 'stock',
          partnerSku: 'frame-{frame_material}-{paper_format.code}',
          priceList: { EUR: [{ from: 1, unitMinor: 2_000 }] },
        },
      },
    });
  });

  test.each([
    ['of a stocked part, without files,', 'frame_alone', undefined],
    ['of a stocked part, with an empty list of files,', 'frame_alone', []],
    ['that is stocked itself', 'frame_itself', undefined],
  ])('%s is an item of the type stock without assets', async (_case, model, files) => {
    const { orderId, printOrders } = await sentOrder(stack, {
      items: [
        {
          itemReferenceId: 'frame',
          productUid: `${model}_a3_wood-oak`,
          quantity: 2,
          ...(files === undefined ? {} : { files }),
        },
      ],
    });
    const lines = linesOf(printOrders[0]!);
    expect(lines).toMatchObject([{ type: 'stock', count: 2, assets: [] }]);
    expect(attributesNamed(printOrders[0]!, 'sku')).toMatchObject([{ value: 'frame-wood-oak-a3' }]);
    const { items } = await stack.client.getOrder({ params: { orderId } });
    expect(items[0]).toMatchObject({ files: [], fileUrl: null, fulfillmentStatus: 'passed', price: 40 });
  });
});

describe('parts of a mounted poster', () => {
  test('have ids of their own, which no other print order uses', async () => {
    const framed = { items: [framedPoster(stack), framedPoster(stack, { itemReferenceId: 'second' })] };
    const ids: string[] = [];
    for (const { printOrders } of [await sentOrder(stack, framed), await sentOrder(stack, framed)]) {
      const lines = linesOf(printOrders[0]!);
      expect(lines.map(({ id }) => id === undefined)).toEqual([false, false, true, false, false, true]);
      ids.push(...lines.flatMap(({ id }) => id ?? []));
    }
    for (const id of ids) expect(id).toMatch(/^\d+$/);
    expect(new Set(ids).size).toBe(8);
  });
});
