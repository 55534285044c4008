import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from '../../src/accounts/audit-actions';
import {
  ATTENTION,
  ATTENTION_REASONS,
  type AttentionReason,
  DISMISSABLE,
} from '../../src/orders/domain/lifecycle/attention';
import { projectRoot } from '../../src/platform/project-root';

test('docs/operation/operations.md lists every audited action with its object and description', () => {
  const text = readFileSync(join(projectRoot(), 'docs/operation/operations.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+\.\w+)` \| `(\w+)` \| (.+) \|$/gm)];
  expect(rows.map(([, action, type, description]) => [action, [type, description]])).toEqual(
    Object.entries(AUDIT_ACTIONS).map(([action, entry]) => [action, [...entry]]),
  );
});

describe('the attention reasons of docs/operation/operations.md', () => {
  const [, section = ''] = readFileSync(join(projectRoot(), 'docs/operation/operations.md'), 'utf8').split(
    '## Attention reasons\n',
  );

  test('are those of the engine, each with its cause', () => {
    const [table = ''] = section.split('\n#');
    const rows = [...table.matchAll(/^\| `(\w+)` \| (.+?) \| .+ \|$/gm)];
    expect(rows.map(([, reason]) => reason)).toEqual(ATTENTION_REASONS);
    for (const [, reason, cause = ''] of rows) {
      const { text } = ATTENTION[reason as AttentionReason];
      expect(cause.toLowerCase()).toContain(text.toLowerCase());
    }
  });

  test('that an open order can be dismissed of are those of the engine', () => {
    const [, sentence = ''] = /`dismiss`\s+clears\s+([^.]+) of\s+a\s+running\s+order\./.exec(section) ?? [];
    expect([...sentence.matchAll(/`(\w+)`/g)].map(([, reason]) => reason)).toEqual(DISMISSABLE);
  });
});
