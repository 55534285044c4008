import { OPERATIONS } from '../../cli/remote/operations';
import { AUDIT_ACTIONS } from '../../src/accounts/audit-actions';
import { CHECK_ACTIONS } from '../../src/accounts/clients';
import { RATE_CARDS } from '../../src/carriers/domain/rate-cards';
import { NEEDS_OF_FAMILIES, type PrintNeeds } from '../../src/catalog/domain/print-needs';
import { MODEL_STATES, MODEL_TRANSITIONS } from '../../src/catalog/domain/product-model';
import { FILE_FAULTS } from '../../src/files/domain/file-fault';
import { FILE_CHECKS } from '../../src/files/domain/file-findings';
import { ATTEMPT_DELAYS_MS } from '../../src/notifications/delivery';
import { NOTIFICATION_EVENTS, TEST_EVENT } from '../../src/notifications/domain/event-schemas';
import { ADDRESS_FINDINGS } from '../../src/orders/domain/address-findings';
import { ATTENTION_REASONS, type AttentionReason } from '../../src/orders/domain/lifecycle/attention-reasons';
import { ATTENTION } from '../../src/orders/domain/lifecycle/rules/attention';
import { FINANCIAL_STATUSES, ITEM_STATUSES, ORDER_STATUSES } from '../../src/orders/domain/lifecycle/statuses';
import { PLAN_REFUSALS } from '../../src/orders/planning/plan-refusals';
import { QUOTAS } from '../../src/platform/domain/quotas';
import { SIZES, shownSize } from '../../src/platform/domain/sizes';
import { METRICS } from '../../src/platform/metrics/metric-table';
import { PROCUREMENT_RULES, PROCUREMENT_STATUSES } from '../../src/procurement/domain/procurement-order';
import { inventoryShape } from '../../src/procurement/partner-schemas';
import { page, section } from '../support/pages';

/** The pages list what the tables of the engine have, and nothing else. */

/** Returns the cells of the rows that begin with code. */
const rows = (text: string): string[][] =>
  [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, row]) => row!.split(' | ').map((cell) => cell.trim()));

/** Returns the rows below a heading, without backquotes. */
const plainRows = (name: string, heading: string) =>
  rows(section(name, heading)).map((cells) => cells.map((cell) => cell.replaceAll('`', '')));

/** Returns the rows of the table whose first heading is `heading`, without backquotes. */
const tableOf = (name: string, heading: string) =>
  page(name)
    .split(`| ${heading} |`)[1]!
    .split('\n\n')[0]!
    .split('\n')
    .slice(2)
    .map((line) => line.replaceAll('`', '').split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));

/** Returns the words in backquotes. */
const codes = (text: string) => [...text.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word!);

/** Returns the words in backquotes in one column below a heading, sorted. */
const column = (name: string, heading: string, at = 0) =>
  rows(section(name, heading))
    .flatMap((cells) => codes(cells[at]!))
    .sort();

const REFUSALS = [...PLAN_REFUSALS, ...Object.keys(FILE_FAULTS)].sort();

describe('docs/orders.md explains', () => {
  test('every status', () => {
    expect(column('orders', 'Statuses')).toEqual([...ORDER_STATUSES].sort());
    expect(column('orders', 'Statuses', 1)).toEqual([...ITEM_STATUSES].sort());
    expect(codes(page('orders'))).toEqual(expect.arrayContaining([...FINANCIAL_STATUSES]));
  });

  test('what findings in print files do', () => {
    expect(column('orders', 'Checks of print files')).toEqual([...CHECK_ACTIONS].sort());
  });

  test('every finding in an address', () => {
    expect(column('orders', 'Checks of addresses')).toEqual([...ADDRESS_FINDINGS].sort());
  });

  test('every refusal reason', () => {
    expect(column('orders', 'Refusals')).toEqual(REFUSALS);
  });
});

describe('docs/when-things-go-wrong.md says what to do', () => {
  test('in each status, and about a cancel in each status', () => {
    expect(column('when-things-go-wrong', 'The order has a status')).toEqual([...ORDER_STATUSES].sort());
    const cancels = column('when-things-go-wrong', 'What a cancel means');
    expect([...new Set([...cancels, 'in_transit', 'delivered', 'returned'])].sort()).toEqual(
      [...ORDER_STATUSES].sort(),
    );
  });

  test('after each refusal', () => {
    expect(column('when-things-go-wrong', 'The order is refused')).toEqual(REFUSALS);
  });
});

test('docs/money.md explains every financial status', () => {
  expect(column('money', 'When it is invoiced')).toEqual([...FINANCIAL_STATUSES].sort());
});

describe('docs/print-files.md', () => {
  test('has every check with its severities', () => {
    expect(plainRows('print-files', 'What is checked').map(([code, severities]) => [code, severities])).toEqual(
      Object.entries(FILE_CHECKS).map(([code, { severities }]) => [code, severities.join(', ')]),
    );
  });

  test('has what each family of products needs', () => {
    const families = Object.values(NEEDS_OF_FAMILIES);
    const needs = Object.keys(families[0]!) as (keyof PrintNeeds)[];
    expect(plainRows('print-files', 'What a product needs')).toEqual(
      needs.map((need) => [need, ...families.map((family) => [family[need]].flat().join(', '))]),
    );
  });
});

test('docs/prepare-files.md has the size, bleed and resolution that each family needs', () => {
  const guide = page('prepare-files');
  const needs = [...guide.matchAll(/^\| `(\w+)`[^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (error|accepted) \|$/gm)];
  expect(needs.map(([, ...cells]) => cells).sort()).toEqual(
    Object.entries(NEEDS_OF_FAMILIES)
      .map(([family, { bleedMm, safeMarginMm, leastDpi, warningDpi, otherSize }]) => [
        family,
        ...[bleedMm, safeMarginMm, leastDpi, warningDpi].map(String),
        otherSize ? 'accepted' : 'error',
      ])
      .sort(),
  );
  expect(guide).toContain(`at most ${NEEDS_OF_FAMILIES.flat.maxInkPercent} % of ink`);
});

test('docs/limits.md has the sizes of the table', () => {
  expect(tableOf('limits', 'Size')).toEqual(
    Object.values(SIZES).map(({ counts, most, costs }) => [counts, shownSize(most), costs]),
  );
});

test('docs/procurement.md has the statuses with their rules', () => {
  expect(tableOf('procurement', 'Status')).toEqual(
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
  expect(tableOf('procurement', '`alertUid`').map(([alert]) => alert)).toEqual([
    ...inventoryShape.alertUid.unwrap().options,
    'null',
  ]);
});

test('docs/catalog.md has the states of a product model with their transitions', () => {
  expect(tableOf('catalog', 'State of a product model')).toEqual(
    MODEL_STATES.map((state) => [state, MODEL_TRANSITIONS[state].join(', ')]),
  );
});

test('docs/shipping.md lists every built-in carrier with its methods and the form of its tracking numbers', () => {
  const carriers = [
    ...section('shipping', 'Carriers').matchAll(/^\| ([^|]+) \| `(\w+)` \| ([^|]+) \| (\w+)[^|]* \|/gm),
  ];
  expect(
    carriers.map(([, name, uid, methods = '', numbers]) => [
      name,
      uid,
      codes(methods).map((method) => `${uid}${method}`),
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

describe('docs/notifications.md', () => {
  test('lists every event', () => {
    expect(rows(page('notifications')).flatMap(([event]) => codes(event!))).toEqual([
      ...NOTIFICATION_EVENTS,
      TEST_EVENT,
    ]);
  });

  test('has the retry schedule', () => {
    const MS = { s: 1_000, min: 60_000, h: 3_600_000 } as const;
    const row = /^\| After \|(.*)\|$/m.exec(page('notifications'))![1]!;
    const delays = [...row.matchAll(/(\d+) (s|min|h)/g)].map(([, n, unit]) => Number(n) * MS[unit as keyof typeof MS]);
    expect(delays).toEqual(ATTEMPT_DELAYS_MS);
  });
});

test('docs/limits.md lists every quota with its default and what it counts', () => {
  expect([...page('limits').matchAll(/^\| `(\w+)` \| ([\d,]+) \| (.+) \|$/gm)].map(([, ...row]) => row)).toEqual(
    Object.entries(QUOTAS).map(([name, { limit, counts }]) => [name, limit.toLocaleString('en'), counts]),
  );
});

test('docs/operation/metrics.md has a row for every metric, with its type, labels and meaning', () => {
  expect(rows(section('operation/metrics', 'Metrics of Pressline'))).toEqual(
    Object.entries(METRICS).map(([name, { type, labels, help }]) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', '),
      help,
    ]),
  );
});

test('docs/operation/audit-log.md lists every audited action with its object', () => {
  const listed = [...page('operation/audit-log').matchAll(/^\| `(\w+)` \| (`\w+\.\w+`.*) \|$/gm)].flatMap(
    ([, type, actions]) => [...actions!.matchAll(/`(.+?)`/g)].map(([, name]) => [name, type]),
  );
  expect(listed.sort()).toEqual(Object.entries(AUDIT_ACTIONS).sort());
});

test('the attention reasons of the engine have a section each in docs/how-to/attention.md, with cause and steps', () => {
  const [, ...sections] = page('how-to/attention').split(/^## /m);
  expect(sections.map((each) => each.split('\n')[0])).toEqual(ATTENTION_REASONS);
  for (const each of sections) {
    const { text, dismissable = false } = ATTENTION[each.split('\n')[0] as AttentionReason];
    expect(each.replace(/\s+/g, ' ').toLowerCase()).toContain(text.toLowerCase());
    expect(each).toMatch(/^1\. /m);
    if (dismissable) expect(each).toContain('`dismiss`');
  }
});

test('docs/operation/command-line.md and assistants.md name every operation of the command line', () => {
  const commands = [...page('operation/command-line').matchAll(/^\| `([a-z ]+)( <[^`]*| --[^`]*)?` \|/gm)];
  const named = commands.map(([, command]) => command!);
  expect(named.toSorted()).toEqual(
    [...OPERATIONS.map(({ command }) => command.replace(/ <.*/, '')), 'listen', 'mcp'].toSorted(),
  );
  const [reading, acting] = [...page('operation/assistants').matchAll(/^\| (`.*) \| (?:Always|With .*) \|$/gm)].map(
    ([, tools]) => codes(tools!),
  );
  const tools = (acts: boolean) =>
    OPERATIONS.filter((each) => each.acts === acts).map(({ command }) => command.replace(' ', '_'));
  expect(reading).toEqual(tools(false));
  expect(acting).toEqual(tools(true).filter((name) => !name.startsWith('trigger_') || name === 'trigger_order'));
});
