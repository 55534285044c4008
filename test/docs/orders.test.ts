import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_CHECK_ACTIONS } from '../../src/accounts/clients';
import { FILE_FAULTS } from '../../src/files/domain/file-fault';
import { FINANCIAL_STATUSES, ITEM_STATUSES, ORDER_STATUSES } from '../../src/orders/domain/lifecycle/statuses';
import { PLAN_REFUSALS } from '../../src/orders/planning/plan-refusals';
import { projectRoot } from '../../src/platform/project-root';

const page = (name: string) => readFileSync(join(projectRoot(), `docs/${name}.md`), 'utf8');
const document = page('orders');

/** Returns the rows of the table below a heading: the code words of each cell. */
const rowsBelow = (heading: string, text = document) =>
  (
    text
      .split(`## ${heading}\n`)[1]!
      .split('\n## ')[0]!
      .match(/^\| `.*$/gm) ?? []
  ).map((row) => row.split('|').map((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word!)));

test('docs/orders.md explains every status and no other', () => {
  const rows = rowsBelow('Statuses');
  expect(rows.flatMap((cells) => cells[1]!).sort()).toEqual([...ORDER_STATUSES].sort());
  expect(rows.flatMap((cells) => cells[2]!).sort()).toEqual([...ITEM_STATUSES].sort());
  for (const status of FINANCIAL_STATUSES) expect(document).toContain(`\`${status}\``);
});

test('docs/orders.md explains what findings in print files do', () => {
  const actions = rowsBelow('Checks of print files').map((cells) => cells[1]![0]);
  expect(actions.sort()).toEqual([...FILE_CHECK_ACTIONS].sort());
});

test('docs/orders.md explains every refusal reason and no other', () => {
  const codes = rowsBelow('Refusals').map((cells) => cells[1]![0]);
  expect(codes.sort()).toEqual([...PLAN_REFUSALS, ...Object.keys(FILE_FAULTS)].sort());
});

describe('docs/when-things-go-wrong.md says what to do', () => {
  const firstCells = (heading: string) =>
    rowsBelow(heading, page('when-things-go-wrong')).flatMap((cells) => cells[1]!);

  test('in each status, and about a cancel in each status', () => {
    expect(firstCells('The order has a status').sort()).toEqual([...ORDER_STATUSES].sort());
    const named = new Set([...firstCells('What a cancel means'), 'in_transit', 'delivered', 'returned']);
    expect([...named].sort()).toEqual([...ORDER_STATUSES].sort());
  });

  test('after each refusal', () => {
    const codes = firstCells('The order is refused');
    expect(codes.sort()).toEqual([...PLAN_REFUSALS, ...Object.keys(FILE_FAULTS)].sort());
  });
});

test('docs/money.md explains every financial status', () => {
  const rows = rowsBelow('When it is invoiced', page('money'));
  expect(rows.map((cells) => cells[1]![0]).sort()).toEqual([...FINANCIAL_STATUSES].sort());
});
