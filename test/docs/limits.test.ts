import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QUOTAS } from '../../src/platform/domain/quotas';
import { projectRoot } from '../../src/platform/project-root';

test('docs/limits.md lists every quota with its default and what it counts', () => {
  const text = readFileSync(join(projectRoot(), 'docs/limits.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| ([\d,]+) \| (.+) \|$/gm)].map(([, ...row]) => row);
  expect(rows).toEqual(
    Object.entries(QUOTAS).map(([name, { limit, counts }]) => [name, limit.toLocaleString('en'), counts]),
  );
});
