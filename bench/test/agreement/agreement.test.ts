import { testStack } from '../../../test/support/stack';
import { inWords, runOrders } from '../../agreement/run-orders';
import { openWorld, type World } from '../../agreement/world';

/** A part of what `npm run bench -- agreement` runs, with other orders. Its seed and numbers run an order again. */
const SEED = 2;
const ORDERS = 30;

let world: World;

beforeAll(async () => {
  const { baseUrl, credentials } = await testStack({ mode: 'off' });
  world = await openWorld(baseUrl, credentials);
});
afterAll(async () => world?.desk.stop());

test('receipts, papers and messages of generated orders agree after each step', async () => {
  const reports = await runOrders(world, { from: 1, count: ORDERS, seed: SEED, atOnce: 8 });

  expect(reports.filter(({ findings }) => findings.length > 0).map(inWords)).toEqual([]);
});
