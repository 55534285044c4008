import { testDatabase, type TestDatabase } from '../../support/database';
let db: TestDatabase;
beforeAll(async () => { db = await testDatabase(); });
test('a fresh database is migrated', async () => {
  const [row] = await db.sql`SELECT count(*) AS n FROM orders`;
  expect(row!.n).toBe('0');
});
