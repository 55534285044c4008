import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HANDLER_FILES, ruleFileOf, WRITERS } from '../../cli/remote/story';
import { HANDLERS } from '../../src/orders/domain/lifecycle/reduce';
import { projectRoot } from '../../src/platform/project-root';

/** The files that the command `story` names. */

const folder = join(projectRoot(), 'src/orders/domain/lifecycle/handlers');

test('the rule of each event of an order run is in the file that the story names', async () => {
  expect([...HANDLER_FILES.keys()].sort()).toEqual(Object.keys(HANDLERS).sort());
  for (const [type, file] of HANDLER_FILES) {
    const rules: object = await import(join(folder, file));
    expect([type, Object.values(rules)]).toEqual([
      type,
      expect.arrayContaining([HANDLERS[type as keyof typeof HANDLERS]]),
    ]);
  }
});

test('each file that writes entries of a timeline exists', () => {
  const files = Object.values(WRITERS).filter((writer) => writer.endsWith('.ts'));
  expect(files.filter((file) => !existsSync(join(projectRoot(), file)))).toEqual([]);
});

test('each type of entry that the rules log has a file', () => {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const logged = texts.flatMap((text) =>
    [...text.matchAll(/(?:\bevent: |printOrderLog\(|\baudit\(\s*)['`]([a-z_]+)/g)].map(([, type]) => type!),
  );
  expect(logged.length).toBeGreaterThan(20);
  // The log entries of postbacks repeat a part of the postbacks.
  const unknown = logged.filter((type) => type !== 'postback_' && ruleFileOf({ kind: 'event', type }) === null);
  expect(unknown).toEqual([]);
});

test('an entry has the file of its event, and one of the audit log that of its change', () => {
  const handlers = 'src/orders/domain/lifecycle/handlers';
  expect(ruleFileOf({ kind: 'postback', type: 'printed' })).toBe(`${handlers}/postbacks.ts`);
  expect(ruleFileOf({ kind: 'request', type: 'print_order' })).toBe(`${handlers}/planning.ts`);
  expect(ruleFileOf({ kind: 'event', type: 'print_order_refused' })).toBe(`${handlers}/planning.ts`);
  expect(ruleFileOf({ kind: 'event', type: 'print_order_reminded' })).toBe(`${handlers}/attention.ts`);
  expect(ruleFileOf({ kind: 'repair', type: 'reroute_requested' })).toBe(`${handlers}/reroutes.ts`);
  expect(ruleFileOf({ kind: 'repair', type: 'order.cancel' })).toBe(`${handlers}/cancels.ts`);
  expect(ruleFileOf({ kind: 'event', type: 'unknown' })).toBeNull();
});
