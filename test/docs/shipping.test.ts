import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RATE_CARDS } from '../../src/carriers/domain/rate-cards';
import { projectRoot } from '../../src/platform/project-root';

test('docs/shipping.md lists every built-in carrier with its methods and the form of its tracking numbers', () => {
  const text = readFileSync(join(projectRoot(), 'docs/shipping.md'), 'utf8');
  const [, section = ''] = text.split('\n## Carriers\n');
  const [table = ''] = section.split('\n## ');
  const rows = [...table.matchAll(/^\| ([^|]+) \| `(\w+)` \| ([^|]+) \| (\w+)[^|]* \|/gm)];
  expect(
    rows.map(([, name, uid, methods = '', numbers]) => [
      name,
      uid,
      [...methods.matchAll(/`_(\w+)`/g)].map(([, method]) => `${uid}_${method}`),
      numbers,
    ]),
  ).toEqual(
    RATE_CARDS.map(({ carrierName, carrierUid, methods, kind }) => [
      carrierName,
      carrierUid,
      methods.map(({ uid }) => uid),
      kind === 'postal' ? 'S10' : 'SSCC',
    ]),
  );
});
