import { testStack } from '../../../support/stack';
import { crossAll } from './crossings';

/** Times that each pair of requests crosses. 15 pairs with an order each; `npm run bench -- faults` crosses many more. */
const TIMES = 20;

test(`${TIMES} of each pair of requests that cross end in no deadlock, no error, and no label that no parcel has`, async () => {
  await crossAll(await testStack({ mode: 'manual' }), TIMES);
}, 600_000);
