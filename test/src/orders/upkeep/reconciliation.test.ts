import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIFFERENCES } from '../../../../src/orders/upkeep/reconciliation';
import { projectRoot } from '../../../../src/platform/project-root';

test('docs/operation/backup-and-recovery.md lists every finding as the code has it', () => {
  const text = readFileSync(join(projectRoot(), 'docs/operation/backup-and-recovery.md'), 'utf8');
  const [, table] = text.split('| Count | Of |\n| --- | --- |\n');
  const rows = [...table!.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name, meaning]) => [name, meaning]);
  const inCode = Object.entries(DIFFERENCES).map(([name, [first, ...rest]]) => [
    name,
    `${first!.toUpperCase()}${rest.join('')}`,
  ]);
  expect(rows).toEqual(inCode);
});
