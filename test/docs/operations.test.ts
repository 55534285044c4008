import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from '../../src/accounts/audit-actions';
import { projectRoot } from '../../src/platform/project-root';

test('docs/operation/operations.md lists every audited act with its object and description', () => {
  const text = readFileSync(join(projectRoot(), 'docs/operation/operations.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+\.\w+)` \| `(\w+)` \| (.+) \|$/gm)];
  expect(rows.map(([, action, type, description]) => [action, [type, description]])).toEqual(
    Object.entries(AUDIT_ACTIONS).map(([action, entry]) => [action, [...entry]]),
  );
});
