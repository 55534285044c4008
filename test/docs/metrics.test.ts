import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS } from '../../src/platform/metrics/metric-table';

const text = readFileSync(join(__dirname, '../../docs/operation/metrics.md'), 'utf8');

test('docs/operation/metrics.md has a row for every metric, with its type, labels and meaning', () => {
  const [, table] = text.split('## Metrics of Pressline');
  const rows = table!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    Object.entries(METRICS).map(([name, { type, labels, help }]) => {
      const shown = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
    }),
  );
});
