import { testStack } from '../../../support/stack';
import { crossAll } from './crossings';

test('200 of each pair of requests that cross end in no deadlock, no error, and no label that no parcel has', async () => {
  await crossAll(await testStack({ mode: 'manual' }), 200);
}, 3_600_000);
