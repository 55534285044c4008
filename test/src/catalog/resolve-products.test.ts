import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import type { ResolvedProduct } from '../../../src/catalog/domain/product';
import { type ProductReference, resolveProducts } from '../../../src/catalog/resolve-products';
import type { Sql } from '../../../src/platform/postgres';
import { testDatabase } from '../../support/database';

const POSTER = 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver';
const CLIENT = '0190b000-0000-7000-8000-00000000000a';

let sql: Sql;
beforeAll(async () => {
  ({ sql } = await testDatabase());
  await seedDemoCatalog(sql);
});

async function resolve(reference: ProductReference) {
  const [resolution] = await resolveProducts(sql, { clientId: CLIENT }, [reference]);
  return resolution!;
}

async function product(reference: ProductReference): Promise<ResolvedProduct> {
  const resolution = await resolve(reference);
  if (!resolution.ok) throw new Error(`${resolution.path}: ${resolution.message}`);
  return resolution.product;
}

describe('a productUid', () => {
  test('resolves to the product with every attribute of the template', async () => {
    const poster = await product({ productUid: POSTER });
    expect(poster).toMatchObject({
      productUid: POSTER,
      productModelId: 'poster',
      modelUid: 'flat_product',
      kind: 'print',
      printAreas: [{ fileType: 'front', required: true, widthMm: 297, heightMm: 420 }],
      pageRule: { min: 1, max: 1 },
    });
    expect(poster.attributes.map(({ name, value }) => [name, value])).toEqual([
      ['paper_format', 'a3'],
      ['paper_type', '200-gsm-uncoated'],
      ['color_type', '4-0'],
      ['orientation', 'ver'],
    ]);
    // 0.297 m x 0.42 m x 200 g/m2
    expect(poster.unitWeightGrams).toBe(25);
    expect(poster.packed).toEqual({ lengthMm: 327, widthMm: 80, heightMm: 80, nests: true });
  });

  test('of a landscape product swaps width and height of the print area', async () => {
    const { printAreas } = await product({ productUid: POSTER.replace('_ver', '_hor') });
    expect(printAreas).toEqual([{ fileType: 'front', required: true, widthMm: 420, heightMm: 297 }]);
  });

  test('accepts custom input within its limits, and prices the pages', async () => {
    const uid = (pages: string) => `photobook_hard_cover_product_pf_a4_pt_170-gsm-silk_fin_matt_pc_${pages}`;
    const standard = await product({ productUid: uid('24') });
    const thick = await product({ productUid: uid('30') });
    expect(thick.pageRule).toEqual({ min: 30, max: 30, multipleOf: 2, coverPages: 1 });
    expect(thick.priceList.EUR![0]!.unitMinor).toBe(standard.priceList.EUR![0]!.unitMinor + 6 * 35);
    for (const pages of ['31', '22', '202', 'many', '-2', 'constructor']) {
      expect(await resolve({ productUid: uid(pages) })).toMatchObject({ ok: false, path: 'productUid' });
    }
  });

  test.each([
    ['an unknown prefix', 'bill_board_a3', /no product/],
    ['an unknown value', POSTER.replace('_a3_', '_a9_'), /paper_format/],
    ['text after its end', `${POSTER}_x`, /orientation/],
    ['an inactive product model', 'satin_poster_product_pf_a3_ver', /inactive/],
    ['a draft product model', 'canvas_product_cf_a3_ver', /draft/],
    ['a part that is not sold separately', 'blank_t-shirt_gsi_m_gco_white', /not sold separately/],
    ['no text', '', /no product/],
  ])('with %s is refused', async (_, productUid, message) => {
    expect(await resolve({ productUid })).toMatchObject({
      ok: false,
      path: 'productUid',
      code: 'NO_SUCH_CHOICE_ERROR',
      message: expect.stringMatching(message),
    });
  });

  test('of a product with parts has the SKUs and prices of the parts', async () => {
    const framed = await product({
      productUid: 'framed_poster_product_mf_300x400-mm_fr_wood-black_pt_200-gsm-uncoated_ver',
    });
    expect(framed.kind).toBe('mounted');
    expect(
      framed.parts.map(({ type, modelUid, quantity, partnerSku }) => [type, modelUid, quantity, partnerSku]),
    ).toEqual([
      ['print', 'flat_product', 1, null],
      ['stock', 'frame_product', 1, 'frame-wood-black-30x40'],
      ['service', 'fulfillment_service_product', 1, null],
    ]);
    expect(framed.parts[0]!.attributes.map(({ name }) => name)).toEqual([
      'paper_format',
      'paper_type',
      'color_type',
      'orientation',
    ]);
  });

  test('with a value that the product model does not offer is refused', async () => {
    expect(
      await resolve({ productUid: 'framed_poster_product_mf_a1_fr_wood-black_pt_200-gsm-uncoated_ver' }),
    ).toMatchObject({ ok: false, message: expect.stringContaining('paper_format') });
  });
});

describe('a productName with its variant', () => {
  test('resolves through the customer product, with default values for omitted options', async () => {
    const tee = await product({ productName: 'Classic tee', productVariant: { Size: 'XL' } });
    expect(tee.productUid).toBe('apparel_product_gca_t-shirt_gsi_xl_gco_white_gpr_4-0');
    expect(tee.parts[0]).toMatchObject({ partnerSku: 'tee-white-xl', type: 'stock', quantity: 1 });
    expect(tee.printAreas.map(({ fileType }) => fileType)).toEqual(['front']);
  });

  test.each([
    [{ productName: 'classic tee', productVariant: {} }, 'productName'],
    [{ productName: 'Classic', productVariant: {} }, 'productName'],
    [{ productName: 'Classic tee', productVariant: { Size: 'XS' } }, 'productVariant.Size'],
    [{ productName: 'Classic tee', productVariant: { size: 'XS' } }, 'productVariant.size'],
    [{ productName: 'Classic tee', productVariant: { Sleeve: 'long' } }, 'productVariant.Sleeve'],
  ])('is refused by field: %j', async (reference, path) => {
    expect(await resolve(reference)).toMatchObject({ ok: false, path, code: 'NO_SUCH_CHOICE_ERROR' });
  });
});

test('the items of an order are resolved in sequence, known products from the cache', async () => {
  const references = [{ productUid: POSTER }, { productUid: 'nothing' }, { productUid: POSTER }];
  const first = await resolveProducts(sql, { clientId: CLIENT }, references);
  const again = await resolveProducts(sql, { clientId: CLIENT }, references);
  expect(first.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect(again).toEqual(first);
});

test('a repeated seed keeps the changes of an operator', async () => {
  await sql`UPDATE product_models SET name = 'Our poster' WHERE id = 'poster'`;
  const [before] = await sql`SELECT version FROM catalog_version`;
  await seedDemoCatalog(sql);
  const [after] = await sql`SELECT version FROM catalog_version`;
  const [row] = await sql<{ name: string }[]>`SELECT name FROM product_models WHERE id = 'poster'`;
  expect(row!.name).toBe('Our poster');
  expect(after).toEqual(before);
  const [total] = await sql<{ total: string }[]>`
    SELECT sum(total) AS total FROM customer_product_totals WHERE viewer = '*' AND product_model_id = ''`;
  expect(Number(total!.total)).toBe(2);
});
