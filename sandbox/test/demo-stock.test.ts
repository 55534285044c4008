import { adjustStock } from '../../src/procurement/adjust-stock';
import { listStockItems } from '../../src/procurement/stock-items';
import { testAccount } from '../../test/support/api-deps';
import { testDatabase } from '../../test/support/database';
import { DEMO_ATTRIBUTES } from '../demo/attributes';
import { ensureDemoPartners } from '../demo/partners';
import { DEMO_MODELS } from '../demo/product-models';
import { ensureDemoStock } from '../demo/stock';

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

it('the demo stock has every stock part of the demo catalog, and changed levels are kept', async () => {
  const { sql } = await testDatabase();
  const accounts = await Promise.all(['prints-berlin', 'prints-ohio'].map((name) => testAccount(sql, 'partner', name)));
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
