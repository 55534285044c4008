import { testStack } from '../../../support/stack';
import { crossAll } from './crossings';

test('requests that cross end in no deadlock, no error, and no label that no parcel has', async () => {
  await crossAll(await testStack({ mode: 'manual' }), 1);
});
