import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL_STATES, MODEL_TRANSITIONS } from '../../src/catalog/domain/product-model';
import { projectRoot } from '../../src/platform/project-root';
import { PROCUREMENT_RULES, PROCUREMENT_STATUSES } from '../../src/procurement/domain/procurement-order';
import { inventoryShape } from '../../src/procurement/partner-schemas';

/** Returns the rows of the table whose first heading is `heading`, without backquotes. */
function table(document: string, heading: string): string[][] {
  const text = readFileSync(join(projectRoot(), 'docs', document), 'utf8');
  const lines = text
    .slice(text.indexOf(`| ${heading} |`))
    .split('\n\n')[0]!
    .split('\n')
    .slice(2);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

test('docs/procurement.md has the statuses with their rules', () => {
  expect(table('procurement.md', 'Status')).toEqual(
    PROCUREMENT_STATUSES.map((status) => {
      const { next, receives, invoices, attentionAfterDays } = PROCUREMENT_RULES[status];
      return [
        status,
        next.join(', '),
        receives ? 'yes' : '',
        invoices ? 'yes' : '',
        attentionAfterDays === null ? '' : `${attentionAfterDays} days`,
      ];
    }),
  );
});

test('docs/procurement.md has every alert in order of severity', () => {
  expect(table('procurement.md', '`alertUid`').map(([alert]) => alert)).toEqual([
    ...inventoryShape.alertUid.unwrap().options,
    'null',
  ]);
});

test('docs/catalog.md has the states of a product model with their transitions', () => {
  expect(table('catalog.md', 'State of a product model')).toEqual(
    MODEL_STATES.map((state) => [state, MODEL_TRANSITIONS[state].join(', ')]),
  );
});
