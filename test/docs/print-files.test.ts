import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEEDS_OF_FAMILIES, type PrintNeeds } from '../../src/catalog/domain/print-needs';
import { FILE_CHECKS } from '../../src/files/domain/file-findings';
import { projectRoot } from '../../src/platform/project-root';

const document = readFileSync(join(projectRoot(), 'docs/print-files.md'), 'utf8');

/** Returns the cells of the table below a heading. */
const rowsBelow = (heading: string) =>
  (
    document
      .split(`## ${heading}\n`)[1]!
      .split('\n## ')[0]!
      .match(/^\| `.*$/gm) ?? []
  ).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );

test('docs/print-files.md has every check with its severities, and no other', () => {
  const documented = rowsBelow('What is checked').map(([code, severities]) => [code, severities!.split(', ')]);
  expect(documented).toEqual(Object.entries(FILE_CHECKS).map(([code, { severities }]) => [code, severities]));
});

test('docs/print-files.md has what each family of products needs', () => {
  const families = Object.values(NEEDS_OF_FAMILIES);
  const needs = Object.keys(families[0]!) as (keyof PrintNeeds)[];
  expect(rowsBelow('What a product needs')).toEqual(
    needs.map((need) => [need, ...families.map((family) => [family[need]].flat().join(', '))]),
  );
});

test('docs/prepare-files.md has the size, bleed and resolution that each family needs', () => {
  const guide = readFileSync(join(projectRoot(), 'docs/prepare-files.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| `(\w+)`[^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (error|accepted) \|$/gm)];
  expect(Object.fromEntries(rows.map(([, family, ...needs]) => [family, needs]))).toEqual(
    Object.fromEntries(
      Object.entries(NEEDS_OF_FAMILIES).map(([family, needs]) => [
        family,
        [
          ...[needs.bleedMm, needs.safeMarginMm, needs.leastDpi, needs.warningDpi].map(String),
          needs.otherSize ? 'accepted' : 'error',
        ],
      ]),
    ),
  );
  expect(guide).toContain(`at most ${NEEDS_OF_FAMILIES.flat.maxInkPercent} % of ink`);
});
