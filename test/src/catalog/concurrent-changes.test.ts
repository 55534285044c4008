import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import { listCustomerProducts } from '../../../src/catalog/customer-product-list';
import { createCustomerProduct, updateCustomerProduct } from '../../../src/catalog/customer-products';
import { connectPostgres, inTransaction } from '../../../src/platform/postgres';
import { testDatabase } from '../../support/database';

const operator = { role: 'operator' } as const;

test('concurrent changes of customers all succeed, and totals stay correct', async () => {
  const { sql, url } = await testDatabase();
  await seedDemoCatalog(sql);
  // More connections than slots of totals.
  const many = connectPostgres(url, { max: 24, applicationName: 'test-many' });
  const customers = [['*'], ['x'], ['y', 'z'], ['z']];
  const products = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      inTransaction(many, (tx) =>
        createCustomerProduct(
          tx,
          operator,
          {
            name: `Changing ${n}`,
            customerIds: customers[n % 4]!,
            productModelId: 't-shirt',
            variantOptions: [],
          },
          10_000,
        ),
      ),
    ),
  );
  try {
    await Promise.all(
      products.map(async ({ id }, n) => {
        for (let turn = 1; turn <= 40; turn += 1) {
          const customerIds = customers[(n + turn * (n % 2 === 0 ? 1 : 3)) % 4]!;
          await inTransaction(many, (tx) => updateCustomerProduct(tx, operator, id, { customerIds }));
        }
      }),
    );
  } finally {
    await many.end();
  }
  for (const viewer of ['*', 'x', 'y', 'z']) {
    const { total, products } = await listCustomerProducts(sql, operator, {
      customerIds: [viewer],
      offset: 0,
      limit: 250,
    });
    expect(total).toBe(products.length);
  }
});
