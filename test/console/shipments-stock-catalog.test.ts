import { domesticRequest } from '../api/shipping/shipping-request';
import { expectAccessible, openScreen } from '../support/browser';
import { eventually, type TestStack, testStack } from '../support/stack';

/** Operators read and change shipments, stock and the catalog in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'off' });
});

const tabAt = (path: string) => openScreen(stack, path);

test('a shipping order is found by its id, its label is fetched again, and its labels are voided', async () => {
  const { orderId, packages } = await stack.client.createShippingOrder({
    body: { ...domesticRequest(), orderReferenceId: 'console-parcel' } as never,
  });
  const { trackingNumber } = packages[0]!;
  // The address in the static details of the workflow.
  const { page, context, faults } = await tabAt(`/console/shipments?q=${orderId}`);
  const order = page.getByRole('table', { name: 'Shipping orders' }).getByRole('row', { name: /console-parcel/ });
  const parcel = page.getByRole('table', { name: 'Parcels' }).getByRole('row', { name: new RegExp(trackingNumber) });
  await order.waitFor();
  for (const format of ['PDF', 'ZPL']) {
    const address = await parcel.getByRole('link', { name: format }).getAttribute('href');
    const label = await context.request.get(address!);
    expect(label.status()).toBe(200);
    expect((await label.body()).toString('latin1')).toMatch(format === 'PDF' ? /^%PDF-/ : /\^XA/);
  }

  // On a narrow screen, status and labels are in view.
  await page.setViewportSize({ width: 800, height: 900 });
  for (const row of [order, parcel]) {
    for (const shown of [row.getByText(/^(Bought|Registered)$/), row.getByRole('link', { name: 'ZPL' })]) {
      const { x, width } = (await shown.boundingBox())!;
      expect(x + width).toBeLessThan(780);
    }
  }

  await order.getByRole('button', { name: 'Void' }).click();
  const dialog = page.getByRole('dialog', { name: 'Void' });
  await dialog.getByText('console-parcel').waitFor();
  await dialog.getByRole('button', { name: 'Void labels' }).click();
  await order.getByText('Cancelled').waitFor();
  await parcel.getByText('Voided').waitFor();
  expect(await parcel.getByRole('link', { name: 'PDF' }).count()).toBe(0);
  expect(await order.getByRole('button', { name: 'Void' }).count()).toBe(0);

  await page.getByLabel('Search shipments').fill('nothing-has-this-number');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/shipments?q=nothing-has-this-number');
  await page.getByText('No parcel found').waitFor();
  expect(faults).toEqual([]);
});

/** Consumes a frame of prints-berlin until it is reordered. Returns the id of the procurement order. */
async function reordered(): Promise<number> {
  const { partners } = await stack.operator.listPartners();
  const partner = partners.find(({ uid }) => uid === 'prints-berlin')!;
  await stack.partner('prints-berlin').adjustStock({
    body: {
      adjustments: [{ partnerSku: 'frame-wood-oak-a4', adjustmentType: 'consume', quantity: 380 }],
    },
  });
  return await eventually(async () => {
    const { orders } = await stack.operator.searchProcurementOrders({ query: { partnerId: partner.id } });
    const order = orders.find(({ items }) => items.some(({ partnerSku }) => partnerSku === 'frame-wood-oak-a4'));
    return order?.orderId;
  });
}

test('a procurement order shows its steps and is moved with a reason; the item shows alert and movements', async () => {
  const orderId = await reordered();
  const { page, faults } = await tabAt(`/console/stock?procurementOrder=${orderId}`);
  const order = page.getByRole('region', { name: `Procurement order ${orderId}` });
  const steps = order.getByRole('table', { name: 'Steps' });
  await steps
    .getByRole('row', { name: /^At the supplier/ })
    .locator('time')
    .waitFor();
  await steps.getByRole('row', { name: 'Confirmed Not yet –' }).waitFor();
  await order.getByRole('button', { name: 'Move to Confirmed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move to Confirmed' });
  const move = dialog.getByRole('button', { name: 'Move to Confirmed' });
  expect(await move.isDisabled()).toBe(true);
  await dialog.getByLabel('Reason').fill('confirmed by telephone');
  await move.click();
  await steps
    .getByRole('row', { name: /^Confirmed/ })
    .locator('time')
    .waitFor();
  const { events } = await stack.operator.getProcurementOrder({ params: { orderId } });
  expect(events.at(-1)).toMatchObject({ type: 'move', data: { reason: 'confirmed by telephone' } });

  await page.getByLabel('Alert').selectOption('low_stock');
  await page.waitForURL(/alert=low_stock/);
  const levels = page.getByRole('table', { name: 'Levels' });
  await levels.getByRole('row', { name: /frame-wood-oak-a4 .* Low stock 20/ }).waitFor();
  await levels.getByRole('link', { name: 'frame-wood-oak-a4' }).click();
  await page
    .getByRole('table', { name: 'Movements of frame-wood-oak-a4' })
    .getByRole('row', { name: /Consume 380 −380/ })
    .waitFor();
  expect(faults).toEqual([]);
});

test('the stock screen has what a partner reports itself beside the level, and flags what differs', async () => {
  const uid = 'prints-ohio';
  const { items } = await stack.operator.listStockItemsOfPartners({ query: { limit: 50 } });
  const [same, other] = items.filter(({ partnerUid }) => partnerUid === uid);
  const report = (SKU: string, amount: number) => ({ SKU, status: 'in-stock' as const, amount });
  await stack.partner(uid).reportStockStatus({
    body: { items: [report(same!.partnerSku, same!.quantity), report(other!.partnerSku, other!.quantity + 2)] },
  });
  const { page, faults } = await tabAt(`/console/stock?partnerId=${same!.partnerId}`);
  const rowOf = ({ partnerSku }: { readonly partnerSku: string }) =>
    page
      .getByRole('table', { name: 'Levels' })
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: partnerSku, exact: true }) });
  await rowOf(other!)
    .getByText(`${other!.quantity + 2}: differs`)
    .waitFor();
  await rowOf(same!)
    .getByRole('cell', { name: new RegExp(`^${same!.quantity} `) })
    .waitFor();
  expect(
    await rowOf(same!)
      .getByText(/differs$/)
      .count(),
  ).toBe(0);
  // On a screen of 1360 pixels, the button is in view.
  await page.setViewportSize({ width: 1360, height: 860 });
  const { x, width } = (await rowOf(other!).getByRole('button').boundingBox())!;
  const frame = (await page.getByRole('region', { name: 'Levels' }).boundingBox())!;
  expect(x + width).toBeLessThan(frame.x + frame.width);
  await expectAccessible(page);
  expect(faults).toEqual([]);
});

test('an operator corrects a level to what was counted, with a reason that the audit log has', async () => {
  const { items } = await stack.operator.listStockItemsOfPartners({ query: { limit: 50 } });
  const { partnerId, partnerSku, quantity } = items.find(({ reserved, backorder }) => reserved + backorder === 0)!;
  const { page, faults } = await tabAt(`/console/stock?partnerId=${partnerId}&sku=${partnerSku}`);
  await page.getByRole('button', { name: `Correct the level of ${partnerSku}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Correct' });
  const save = dialog.getByRole('button', { name: 'Correct level' });
  await dialog.getByLabel('Reason').fill('three were damaged');
  await save.click();
  await dialog.getByText('The level has this number already.').waitFor();
  await dialog.getByLabel('Counted pieces').fill(String(quantity - 3));
  await save.click();
  await dialog.getByText(`Consumed 3. The level was ${quantity}, and is ${quantity - 3}.`).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page
    .getByRole('table', { name: `Movements of ${partnerSku}` })
    .getByRole('row', { name: /Consume 3 −3/ })
    .waitFor();
  const after = await stack.operator.listStockItemsOfPartners({ query: { partnerId, partnerSku } });
  expect(after.items[0]!.quantity).toBe(quantity - 3);
  const { entries } = await stack.operator.listAuditLog({ query: { action: 'stock.correct' } });
  expect(entries[0]).toMatchObject({ after: { quantity: quantity - 3, reason: 'three were damaged' } });
  expect(faults).toEqual([]);
});

test('a customer product is archived and published again, and a viewer has no button', async () => {
  const { id } = await stack.client.createCustomerProduct({
    body: { name: 'Console poster', productModelId: 'poster', variantOptions: [] } as never,
  });
  const { page, faults } = await tabAt('/console/catalog?q=Console%20poster');
  const row = page.getByRole('table', { name: 'Customer products' }).getByRole('row', { name: /Console poster/ });
  await row.getByRole('button', { name: 'Archive' }).click();
  const dialog = page.getByRole('dialog', { name: 'Archive' });
  await dialog.getByRole('button', { name: 'Archive product' }).click();
  await page.getByText('No customer product found').waitFor();
  await page.getByLabel('State').selectOption('archived');
  await row.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog', { name: 'Publish' }).getByRole('button', { name: 'Publish product' }).click();
  await row.waitFor({ state: 'detached' });
  const { customerProducts } = await stack.client.listCustomerProducts({
    query: { customerProductIds: id },
  });
  expect(customerProducts).toMatchObject([{ id, state: 'published' }]);
  const models = page.getByRole('table', { name: 'Product models' });
  await models.getByRole('row').nth(1).waitFor();
  const { productModels } = await stack.operator.listProductModels({});
  const { id: modelId, name } = productModels.find(({ production }) => production?.priceList?.EUR !== undefined)!;
  await models
    .getByRole('button', { name: `Change prices of ${name}`, exact: true })
    .first()
    .click();
  const prices = page.getByRole('dialog', { name: 'Change prices' });
  await prices.getByLabel('Unit price, row 1').fill('123.45');
  await prices.getByRole('button', { name: 'Save prices' }).click();
  await prices.waitFor({ state: 'detached' });
  await models
    .getByText(/123\.45/)
    .first()
    .waitFor();
  const after = await stack.operator.listProductModels({});
  const { priceList } = after.productModels.find((model) => model.id === modelId)!.production!;
  expect(Object.values(priceList ?? {}).flat()).toContainEqual(expect.objectContaining({ unitMinor: 12_345 }));
  // A coming price, which is changed and removed again.
  const openPrices = async () => {
    await models
      .getByRole('button', { name: `Change prices of ${name}`, exact: true })
      .first()
      .click();
    return prices;
  };
  const save = async () => {
    await prices.getByRole('button', { name: 'Save prices' }).click();
    await prices.waitFor({ state: 'detached' });
  };
  const ofModel = models.getByRole('row').filter({ hasText: '123.45' });
  await (await openPrices()).getByRole('button', { name: 'Add price' }).click();
  const last = (await prices.getByRole('table', { name: 'Change prices' }).getByRole('row').count()) - 1;
  await prices.getByLabel(`Currency, row ${last}`).fill('XQQ');
  await prices.getByLabel(`Unit price, row ${last}`).fill('150');
  await prices.getByRole('button', { name: 'Save prices' }).click();
  await prices.getByText('XQQ: Must be an ISO 4217 currency code.').waitFor();
  await prices.getByLabel(`Currency, row ${last}`).fill('EUR');
  await prices.getByLabel(`Unit price, row ${last}`).fill('150');
  await prices.getByLabel(`Valid from, row ${last}`).fill('2999-03-01T09:30');
  await save();
  await ofModel.getByText(/From .*2999.*: €150\.00/).waitFor();
  const coming = async () => {
    const { productModels } = await stack.operator.listProductModels({});
    const { production, ordering } = productModels.find((model) => model.id === modelId)!;
    expect(ordering.priceList).not.toEqual(production!.priceList);
    return production!.priceList!.EUR!.at(-1);
  };
  expect(await coming()).toEqual({
    from: 1,
    unitMinor: 15_000,
    validFrom: new Date('2999-03-01T09:30:00').toISOString(),
  });
  await openPrices();
  const dated = prices.getByRole('row').filter({ has: page.locator('[value^="2999"]') });
  await dated.getByLabel(/^Unit price/).fill('160');
  await save();
  await ofModel.getByText(/From .*2999.*: €160\.00/).waitFor();
  await openPrices();
  await dated.getByRole('button', { name: /^Remove/ }).click();
  await save();
  await ofModel.getByText(/From .*2999/).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('an operator changes what the print areas of a product model need', async () => {
  const { page, faults } = await tabAt('/console/catalog');
  await page.getByRole('button', { name: 'Print needs of Flat card' }).click();
  const dialog = page.getByRole('dialog', { name: 'What Flat card needs of print files' });
  await dialog.getByText('bleed 3 mm').waitFor();
  await dialog.getByLabel('Bleed (mm)').first().fill('5');
  await dialog
    .getByLabel(/^Colours/)
    .first()
    .fill('cmyk, spot');
  await dialog.getByLabel('Transparency is allowed').first().selectOption('no');
  await dialog.getByRole('button', { name: 'Change needs' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { files } = await stack.client.getProduct({
    params: { productUid: 'card_product_pf_a6_pt_350-gsm-silk_cl_4-4_ver' },
  });
  expect(files.areas).toMatchObject([
    { fileType: 'front', needs: { bleedMm: 5, colors: ['cmyk', 'spot'], transparency: false, warningDpi: 150 } },
    { fileType: 'back', needs: { bleedMm: 3, transparency: true } },
  ]);
  expect(faults).toEqual([]);
});
