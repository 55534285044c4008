import { expectAccessible, openScreen } from '../support/browser';
import { type TestStack, testStack } from '../support/stack';

/** Operators add and change product models in a browser, and see what a change does before they save it. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'off' });
});

const tabAt = (path: string) => openScreen(stack, path);

const modelOf = async (id: string) =>
  (await stack.operator.listProductModels({ query: { modelIds: id } })).productModels[0]!;

test('a price dialog shows what each value costs before and after, and saves prices and factors', async () => {
  const { page, faults } = await tabAt('/console/catalog/models/mug');
  const now = page.getByRole('region', { name: 'Prices of variants' });
  await now.getByRole('row', { name: '15 oz (440 ml) Black €9.11' }).waitFor();
  await page.getByRole('button', { name: 'Change prices of Mug' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change prices' });
  await dialog.getByText('Nothing differs.').waitFor();
  await dialog.getByLabel('Factor, row 1').fill('1.5');
  await dialog.getByRole('button', { name: 'Add factor' }).click();
  await dialog.getByLabel('Value, row 3').selectOption({ label: 'Mug colour: White' });
  await dialog.getByLabel('Factor, row 3').fill('2');
  // 690 x 1.2 x 1.1 = 910.8; 690 x 1.5 x 1.1 = 1,138.5.
  await dialog.getByRole('row', { name: '15 oz (440 ml) Black €9.11 €11.39' }).waitFor();
  await dialog.getByRole('row', { name: '11 oz (325 ml) White €6.90 €13.80' }).waitFor();
  const changes = dialog.getByRole('table', { name: 'Changes' });
  await changes.getByRole('row', { name: 'production.priceFactors.mug_size.15-oz 1.2 1.5' }).waitFor();
  await changes.getByRole('row', { name: 'production.priceFactors.mug_color.white – 2' }).waitFor();
  await expectAccessible(page);
  expect((await modelOf('mug')).ordering.priceFactors).toEqual({
    mug_size: { '15-oz': '1.2' },
    mug_color: { black: '1.1' },
  });
  await dialog.getByRole('button', { name: 'Save prices' }).click();
  await dialog.waitFor({ state: 'detached' });
  await now.getByRole('row', { name: '15 oz (440 ml) Black €11.39' }).waitFor();
  expect((await modelOf('mug')).ordering.priceFactors).toEqual({
    mug_size: { '15-oz': '1.5' },
    mug_color: { black: '1.1', white: '2' },
  });
  const history = page.getByRole('table', { name: 'History' });
  await history.getByText('Change a product model').waitFor();
  await history.getByRole('row', { name: 'production.priceFactors.mug_size.15-oz 1.2 1.5' }).waitFor();
  expect(faults).toEqual([]);
});

test('a product model is limited to values, with the difference before saving, and other values are refused', async () => {
  const { page, faults } = await tabAt('/console/catalog/models/poster');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Change' });
  const formats = dialog.getByRole('group', { name: 'Paper format', exact: true });
  for (const box of await formats.getByRole('checkbox').all()) await box.uncheck();
  await formats.getByRole('checkbox', { name: /50 ?x ?70|500 ?x ?700/i }).check();
  await formats.getByLabel('Default value').selectOption('500x700-mm');
  await dialog.getByRole('row', { name: /attributes\[paper_format\]\.valueIds – 500x700-mm/ }).waitFor();
  await dialog
    .getByRole('row', { name: /^A3 .* Not offered/ })
    .first()
    .waitFor();
  await dialog.getByLabel('Weight (g)').fill('-1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog
    .getByText(/Too small|must be/i)
    .first()
    .waitFor();
  await dialog.getByLabel('Weight (g)').fill('5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Paper format: 50 x 70 cm').waitFor();
  const { attributes, production } = await modelOf('poster');
  expect(attributes[0]).toMatchObject({ id: 'paper_format', valueIds: ['500x700-mm'], defaultValueId: '500x700-mm' });
  expect(production).toMatchObject({ weightGrams: 5, packed: { form: 'tube', diameterMm: 80, marginMm: 30 } });
  const uid = (format: string) => `flat_product_pf_${format}_pt_170-gsm-silk_cl_4-0_ver`;
  const read = (format: string) => stack.client.getProduct({ params: { productUid: uid(format) } });
  await expect(read('a3')).rejects.toMatchObject({ status: 404 });
  await expect(read('500x700-mm')).resolves.toMatchObject({ productModelId: 'poster' });
  expect(faults).toEqual([]);
});

test('print areas and packing have fields: a copy gets another area and a box, and keeps its needs', async () => {
  await stack.operator.updateProductModel({
    params: { id: 'sticker' },
    body: {
      production: {
        ...(await modelOf('sticker')).production,
        printAreas: [{ fileType: 'default', needs: { bleedMm: 4 } }],
      },
    },
  });
  const { page, faults } = await tabAt('/console/catalog/models/sticker');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Change' });
  await dialog.getByRole('button', { name: 'Add print area' }).click();
  await dialog.getByLabel('File type, row 2').selectOption('back');
  await dialog.getByLabel('Required, row 2').selectOption('no');
  await dialog.getByLabel('Width (mm), row 2').fill('50');
  await dialog.getByLabel('Height (mm), row 2').fill('70');
  await dialog.getByLabel('Price of a unit, row 2').fill('EUR 1.25, JPY 200');
  await dialog.getByLabel('Form', { exact: true }).selectOption('box');
  await expectAccessible(page);
  for (const [measure, value] of Object.entries({ Length: '200', Width: '150', Height: '20' }))
    await dialog.getByRole('group', { name: 'Packing' }).getByLabel(`${measure} (mm)`).fill(value);
  await dialog.getByRole('row', { name: /production\.packed\.form flat box/ }).waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await modelOf('sticker')).production).toMatchObject({
    packed: { form: 'box', lengthMm: 200, widthMm: 150, heightMm: 20 },
    printAreas: [
      { fileType: 'default', needs: { bleedMm: 4 } },
      { fileType: 'back', required: false, size: { widthMm: 50, heightMm: 70 }, prices: { EUR: 125, JPY: 200 } },
    ],
  });
  expect(faults).toEqual([]);
});

test('a product model is added as the copy of another, is a draft, and its template changes until it is active', async () => {
  const { page, faults } = await tabAt('/console/catalog');
  await page.getByRole('button', { name: 'Add product model' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add product model' });
  await dialog.getByLabel('Copy of').selectOption('sticker');
  await dialog.getByRole('textbox', { name: 'Id', exact: true }).fill('window-sticker');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Window sticker');
  await dialog.getByRole('button', { name: 'Add draft' }).click();
  await dialog.getByText('Another product model already uses this value.').first().waitFor();
  await dialog.getByLabel('Template of product uids').fill('window_sticker_sf_{sticker_format}');
  await dialog.getByRole('button', { name: 'Add draft' }).click();
  await dialog.getByRole('link', { name: 'Window sticker' }).click();
  await page.waitForURL('**/console/catalog/models/window-sticker');
  await page.getByText('Draft', { exact: true }).first().waitFor();
  expect(await modelOf('window-sticker')).toMatchObject({
    state: 'draft',
    production: {
      hsCode: '482110',
      unitsPerPackage: 200,
      priceList: { EUR: [{ from: 1, unitMinor: 290 }, { from: 50 }] },
    },
  });
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('dialog', { name: 'Activate' }).getByRole('button', { name: 'Activate model' }).click();
  await page.getByText('Active', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  expect(await page.getByRole('dialog').getByLabel('Template of product uids').isDisabled()).toBe(true);
  expect(faults).toEqual([]);
});

test('an operator adds an attribute with values, changes a value, and removes one that nothing names', async () => {
  const { page, faults } = await tabAt('/console/catalog');
  await page.getByRole('button', { name: /Attributes$/ }).click();
  await page.getByRole('button', { name: 'Add attribute' }).click();
  const adding = page.getByRole('dialog', { name: 'Add attribute' });
  await adding.getByRole('textbox', { name: 'Id', exact: true }).fill('window_size');
  await adding.getByRole('textbox', { name: 'Name', exact: true }).fill('Window size');
  await adding.getByLabel(/^Properties/).fill('widthMm, heightMm');
  await adding.getByRole('button', { name: 'Save attribute' }).click();
  await adding.waitFor({ state: 'detached' });
  const values = async () => {
    await page.getByRole('button', { name: 'Values of Window size' }).click();
    return page.getByRole('dialog', { name: 'Values' });
  };
  const dialog = await values();
  await dialog.getByRole('button', { name: 'Save values' }).click();
  await dialog.getByText('No value differs.').waitFor();
  const cells = { 1: ['small', 'Small', '300', '400'], 2: ['large', 'Large', '500', '700'] };
  for (const [row, texts] of Object.entries(cells)) {
    await dialog.getByRole('button', { name: 'Add value' }).click();
    for (const [at, column] of ['Id', 'Name', 'widthMm', 'heightMm'].entries())
      await dialog.getByLabel(`${column}, row ${row}`).fill(texts[at]!);
  }
  await dialog.getByRole('button', { name: 'Save values' }).click();
  await dialog.waitFor({ state: 'detached' });
  await values();
  expect(await dialog.getByLabel('Id, row 1').getAttribute('readonly')).not.toBeNull();
  await dialog.getByLabel('widthMm, row 2').fill('520');
  await dialog.getByRole('button', { name: 'Save values' }).click();
  await dialog.waitFor({ state: 'detached' });
  const stored = async () =>
    (await stack.operator.listAttributes({})).attributes.find(({ id }) => id === 'window_size')?.values;
  expect(await stored()).toMatchObject([
    { id: 'small', description: 'Small', properties: { widthMm: 300, heightMm: 400 } },
    { id: 'large', description: 'Large', properties: { widthMm: 520, heightMm: 700 } },
  ]);
  const removing = page.getByRole('dialog', { name: 'Remove value' });
  const remove = async (attribute: string, value: string) => {
    await page.getByRole('button', { name: `Remove a value of ${attribute}` }).click();
    await removing.getByLabel('Values').selectOption(value);
    await removing.getByRole('button', { name: 'Remove value' }).click();
  };
  await remove('Window size', 'small');
  await removing.waitFor({ state: 'detached' });
  expect((await stored())?.map(({ id }) => id)).toEqual(['large']);
  await remove('Mug colour', 'black');
  await removing.getByText(/is in use by product model mug/).waitFor();
  expect(faults).toEqual([]);
});
