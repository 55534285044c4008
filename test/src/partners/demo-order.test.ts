import { DEMO_MODELS } from '../../../src/catalog/demo/product-models';
import { seedDemoCatalog } from '../../../src/catalog/demo/seed';
import type { ResolvedProduct } from '../../../src/catalog/domain/product';
import { resolveProducts } from '../../../src/catalog/resolve-products';
import { ensureDemoPartners } from '../../../src/partners/demo-partners';
import { buildPrintOrder } from '../../../src/partners/domain/print-order';
import { groupIntoPrintOrders, routeOrder } from '../../../src/partners/domain/routing';
import { stockNeeds } from '../../../src/partners/domain/routing-weights';
import { PRINT_ORDER_SCHEMAS } from '../../../src/partners/message-schemas';
import { deliveryTargetOf, listPartners, subscribe } from '../../../src/partners/partner-rows';
import { createCandidateReader } from '../../../src/partners/routing-rows';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import type { Sql } from '../../../src/platform/postgres';
import { testAccount } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { testSecretBox } from '../../support/secret-box';
import { subscription } from './builders';

let sql: Sql;
let clientId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  await seedDemoCatalog(sql);
  clientId = (await testAccount(sql, 'client')).id;
  const accounts = [
    await testAccount(sql, 'partner', 'prints-berlin'),
    await testAccount(sql, 'partner', 'prints-ohio'),
  ];
  await ensureDemoPartners(sql, accounts);
  for (const { id, name } of accounts) {
    await subscribe(
      { sql, secretBox: testSecretBox },
      id,
      subscription({
        orderSubmitUrl: `https://${name}.example/orders`,
        apparelOrderSubmitUrl: `https://${name}.example/apparel`,
      }),
    );
  }
});

const resolve = async (...items: Parameters<typeof resolveProducts>[2]): Promise<ResolvedProduct[]> =>
  (await resolveProducts(sql, { clientId: clientId }, items)).map((resolution) => {
    if (!resolution.ok) throw new Error(`${resolution.path}: ${resolution.message}`);
    return resolution.product;
  });

const route = async (products: readonly ResolvedProduct[], destinationCountry: string) => {
  const skus = products.flatMap((product) => [...stockNeeds(product, 1).keys()]);
  return routeOrder({
    items: products.map((product, index) => ({ itemId: String(10_001 + index), product, quantity: 1 })),
    destinationCountry,
    partners: await createCandidateReader(sql)(skus),
    at: new Date('2026-11-25T09:00:00Z'),
    rates: REFERENCE_RATES,
  });
};

test('a demo partner makes every product of the demo catalog that can be ordered', async () => {
  const partners = await listPartners(sql);
  const sold = DEMO_MODELS.filter(
    ({ state = 'active', production }) => state === 'active' && production.priceList !== undefined,
  );
  expect(sold.length).toBeGreaterThan(5);
  for (const { id, production, parts = [] } of sold) {
    const madeParts = parts
      .map(({ modelId }) => DEMO_MODELS.find((model) => model.id === modelId)!.production)
      .filter(({ partType }) => partType !== 'stock');
    const needed = [production, ...madeParts].map(({ modelUid }) => modelUid!);
    const makers = partners.filter(
      ({ capabilities: { productKinds, models } }) =>
        productKinds.includes(production.kind ?? 'print') && needed.every((uid) => models[uid] !== undefined),
    );
    expect([id, makers.length > 0]).toEqual([id, true]);
  }
});

test('an order of t-shirt, poster and framed poster becomes three valid print orders at two partners', async () => {
  const products = await resolve(
    { productName: 'Classic tee', productVariant: { Size: 'L', Color: 'Black' } },
    { productUid: 'flat_product_pf_a3_pt_170-gsm-silk_cl_4-0_ver' },
    { productName: 'Wall art', productVariant: {} },
  );
  const decision = await route(products, 'DE');
  if (!decision.ok) throw new Error(JSON.stringify(decision.unroutable));
  const groups = groupIntoPrintOrders(decision.assignments);
  expect(groups.map(({ partnerUid, kind }) => `${partnerUid} ${kind}`)).toEqual([
    'prints-berlin mounted',
    'prints-berlin print',
    'prints-ohio apparel',
  ]);

  const partners = new Map((await listPartners(sql)).map((partner) => [partner.partnerId, partner]));
  const bodies = groups.map(({ partnerId, kind, items, dispatchDate }, index) => {
    const partner = partners.get(partnerId)!;
    const handoff = deliveryTargetOf(partner, kind)!;
    expect(handoff.url).toBe(`https://${partner.uid}.example/${kind === 'apparel' ? 'apparel' : 'orders'}`);
    const body = buildPrintOrder({
      id: String(500_001 + index),
      kind,
      version: handoff.version,
      orderDate: new Date('2026-11-25T09:00:00Z'),
      dispatchDate,
      brandedPackaging: null,
      partner,
      items: items.map(({ itemId, quantity }) => ({
        id: itemId,
        partIds: [],
        customTrim: null,
        quantity,
        product: products[Number(itemId) - 10_001]!,
        files: [
          {
            fileType: 'default',
            contentType: 'image/png',
            url: 'https://files.example/a.png',
            preview: { contentType: 'image/png', url: 'https://files.example/a-preview.png' },
            pageCount: 1,
            metadata: [],
          },
        ],
      })),
      packages: null,
      shipmentMethodUid: 'tracked',
      sender: partner.senderAddress,
      delivery: partner.senderAddress,
      customs: { priceTotalMinor: 0, taxMinor: 0, currency: 'EUR' },
      rates: REFERENCE_RATES,
    });
    expect(PRINT_ORDER_SCHEMAS[kind].parse(body)).toEqual(body);
    return body;
  });
  expect(bodies[0]).toMatchObject({
    version: '1.1',
    printHouseUid: 'berlin-kreuzberg',
    items: [
      {
        type: 'product_bundle',
        parts: [
          { id: '10003', type: 'print', product: { modelUid: 'flat_product' }, assets: [{ format: 'png' }] },
          { id: '10003', type: 'stock', product: { modelUid: 'frame_product' }, assets: null },
          { product: { modelUid: 'fulfillment_service_product' }, assets: null },
        ],
      },
    ],
  });
  expect(bodies[2]).toMatchObject({
    version: '1.0',
    items: [
      {
        product: {
          attributes: [
            { name: 'sku', value: 'tee-black-l' },
            { name: 'location', value: 'front' },
          ],
        },
        assets: [{ type: 'front' }, { type: 'front_preview' }],
      },
    ],
  });
});

test('products that both partners make are made in the country of delivery', async () => {
  const products = await resolve(
    { productUid: 'flat_product_pf_a3_pt_170-gsm-silk_cl_4-0_ver' },
    { productUid: 'mug_product_msz_11-oz_mcl_white' },
  );
  for (const [country, uid] of [
    ['DE', 'prints-berlin'],
    ['FR', 'prints-berlin'],
    ['US', 'prints-ohio'],
  ] as const) {
    const decision = await route(products, country);
    expect(decision.ok && decision.assignments.map(({ partnerUid }) => partnerUid)).toEqual([uid, uid]);
  }
});
