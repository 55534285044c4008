import { testStack } from '../../../support/stack';
import { crossAll } from './crossings';

/** Times that each of 15 pairs of requests crosses. */
const TIMES = 200;

test(`${TIMES} of each pair of requests that cross end in no deadlock, no error, and no label that no parcel has`, async () => {
  await crossAll(await testStack({ mode: 'manual' }), TIMES);
}, 1_800_000);
