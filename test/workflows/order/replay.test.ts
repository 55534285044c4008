import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { projectRoot } from '../../../src/platform/project-root';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';
import { ORDER_SCENARIOS, SECOND_RUN } from '../../support/order-histories';

/** A deploy must not break running orders: the current workflow code replays the stored history of every scenario. */

const stored = storedHistories('orders');

test('every scenario has one history, and every history has a scenario', () => {
  const scenarios = stored.map(({ scenario }) => scenario).filter((name) => !name.endsWith(SECOND_RUN));
  expect(scenarios).toEqual(ORDER_SCENARIOS.toSorted());
});

test('histories contain no addresses', () => {
  const text = JSON.stringify(
    stored.map(({ history }) => history),
    (_name, value: unknown) =>
      // Payloads are JSON in base64.
      typeof value === 'string' && /^[A-Za-z0-9+/]{24,}={0,2}$/.test(value)
        ? Buffer.from(value, 'base64').toString('utf8')
        : value,
  );
  expect(text).toContain('printOrderId');
  for (const secret of ['Torstrasse', 'ada@example.com', '901820']) expect(text).not.toContain(secret);
});

test('the current workflow code replays all histories, without a refused status change', async () => {
  const errors: string[] = [];
  expect(failuresOf(await replay(stored, { onLoggedError: (message) => errors.push(message) }))).toEqual([]);
  expect(errors).toEqual([]);
});

test('a status change that the transition table does not list is logged as an error', async () => {
  const errors: string[] = [];
  const bundle = changedBundle('const AFTER_SHIPPING = [', 'const AFTER_SHIPPING = []; const _LISTED = [');
  await replay(
    stored.filter(({ scenario }) => scenario === 'order-run.first'),
    { bundle, onLoggedError: (message) => errors.push(message) },
  );
  expect(errors).toContain('status change refused');
});

describe('an incompatible change of the workflow code is found', () => {
  test.each([
    [
      'an additional timer',
      'return await run.run();',
      'await new Promise((resolve) => setTimeout(resolve, 1000)); return await run.run();',
    ],
    ['a renamed activity', '.deliverPrintOrder', '.deliverPrintOrderAnew'],
  ])('%s', async (_what, from, to) => {
    const outcomes = await replay(stored, { bundle: changedBundle(from, to) });
    const found = [...outcomes.values()].filter((error) => error instanceof DeterminismViolationError);
    expect(found.length).toBeGreaterThan(stored.length / 2);
  });
});

describe('The step that docs/tutorials/extend-pressline.md adds to the order', () => {
  const read = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');
  const diffs = [...read('docs/tutorials/extend-pressline.md').matchAll(/^```diff\n(.*?)^```/gms)].map(
    ([, diff]) => diff!,
  );

  /** Applies a diff of the tutorial. @throws Error when the source does not have its context */
  function applied(source: string, diff: string): string {
    return diff.split(/^@@\n/m).reduce((text, hunk) => {
      const side = (sign: string) => hunk.replace(new RegExp(`^[${sign}].*\\n`, 'gm'), '').replace(/^./gm, '');
      const [before, after] = [side('+'), side('-')];
      if (!text.includes(before)) throw new Error(`the source does not have:\n${before}`);
      return text.replace(before, after);
    }, source);
  }

  /** Returns the bundle with the step of a changed workflows/order/order.ts. */
  function bundleOf(source: string) {
    const [, names] = /^import \{ (.*) \} from '@temporalio\/workflow';$/m.exec(source)!;
    const [, step] = /run\.view\);\n(.*)\n {2}return/s.exec(source)!;
    const imports = `const { ${names} } = __webpack_require__('./node_modules/@temporalio/workflow/lib/index.js');`;
    return changedBundle('return await run.run();', `${imports} ${step} return await run.run();`);
  }

  test('stops open orders without a patch, and none with it', async () => {
    const [toBreak, toMend] = diffs;
    const unpatched = applied(read('workflows/order/order.ts'), toBreak!);
    const patched = applied(unpatched, toMend!);
    const outcomes = await replay(stored, { bundle: bundleOf(unpatched) });
    expect([...outcomes.values()].every((error) => error instanceof DeterminismViolationError)).toBe(true);
    expect(failuresOf(await replay(stored, { bundle: bundleOf(patched) }))).toEqual([]);
  });
});
