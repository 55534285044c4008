import type { ResolvedProduct } from '../../src/catalog/domain/product';
import { resolveProducts } from '../../src/catalog/resolve-products';
import { routeOrder } from '../../src/partners/domain/routing';
import { stockNeeds } from '../../src/partners/domain/routing-weights';
import { listPartners, subscribe } from '../../src/partners/partner-rows';
import { createCandidateReader } from '../../src/partners/routing-rows';
import type { Sql } from '../../src/platform/postgres';
import { adjustStock } from '../../src/procurement/adjust-stock';
import { listStockItems } from '../../src/procurement/stock-items';
import { routingRequest, subscription } from '../../test/src/partners/builders';
import { type TestAccount, testAccount } from '../../test/support/api-deps';
import { testDatabase } from '../../test/support/database';
import { testSecretBox } from '../../test/support/secret-box';
import { DEMO_ATTRIBUTES } from '../demo/attributes';
import { seedDemoCatalog } from '../demo/catalog';
import { ensureDemoPartners } from '../demo/partners';
import { DEMO_MODELS } from '../demo/product-models';
import { ensureDemoStock } from '../demo/stock';

let sql: Sql;
let clientId: string;
let accounts: TestAccount[];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  await seedDemoCatalog(sql);
  clientId = (await testAccount(sql, 'client')).id;
  accounts = await Promise.all(['prints-berlin', 'prints-ohio'].map((name) => testAccount(sql, 'partner', name)));
  await ensureDemoPartners(sql, accounts);
  for (const { id } of accounts) await subscribe({ sql, secretBox: testSecretBox }, id, subscription({}));
});

const resolve = async (...items: Parameters<typeof resolveProducts>[2]): Promise<ResolvedProduct[]> =>
  (await resolveProducts(sql, { clientId: clientId }, items)).map((resolution) => {
    if (!resolution.ok) throw new Error(`${resolution.path}: ${resolution.message}`);
    return resolution.product;
  });

const route = async (products: readonly ResolvedProduct[], destinationCountry: string) => {
  const skus = products.flatMap((product) => [...stockNeeds(product, 1).keys()]);
  const partners = await createCandidateReader(sql)(skus);
  return routeOrder(
    routingRequest({
      items: products.map((product, index) => ({ itemId: String(10_001 + index), product, quantity: 1 })),
      destinationCountry,
      partners,
    }),
  );
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

/** Returns every SKU of the stock parts of the demo catalog. */
function catalogSkus(): string[] {
  return DEMO_MODELS.flatMap(({ production, offers }) => {
    const template = production.partnerSku;
    if (template === undefined) return [];
    return [...template.matchAll(/\{([^}.]+)(?:\.([^}]+))?\}/g)].reduce(
      (skus, [placeholder, attributeId, property]) => {
        const attribute = DEMO_ATTRIBUTES.find(({ id }) => id === attributeId)!;
        const offered = offers?.[attributeId!];
        return attribute.values
          .filter(([id]) => offered === undefined || offered.includes(id))
          .flatMap(([id, , properties]) =>
            skus.map((sku) =>
              sku.replace(placeholder, String(property ? (properties as Record<string, unknown>)[property] : id)),
            ),
          );
      },
      [template],
    );
  });
}

test('the demo stock has every stock part of the demo catalog, and changed levels are kept', async () => {
  const partners = await ensureDemoPartners(sql, accounts);
  await ensureDemoStock(sql, partners);
  const berlin = accounts[0]!.id;
  await adjustStock(sql, berlin, [{ partnerSku: 'frame-wood-oak-a4', adjustmentType: 'consume', quantity: 3 }]);
  await ensureDemoStock(sql, partners);

  const [frames, tees] = await Promise.all(accounts.map(({ id }) => listStockItems(sql, id, {})));
  const kept = [...frames!.items, ...tees!.items];
  expect(kept.map(({ partnerSku }) => partnerSku).sort()).toEqual(catalogSkus().sort());
  expect(kept.find(({ partnerSku }) => partnerSku === 'frame-wood-oak-a4')).toMatchObject({ quantity: 397 });
});
