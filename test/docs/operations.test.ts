import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS } from '../../cli/remote/operations';
import { AUDIT_ACTIONS } from '../../src/accounts/audit-actions';
import { ATTENTION_REASONS, type AttentionReason } from '../../src/orders/domain/lifecycle/attention-reasons';
import { ATTENTION } from '../../src/orders/domain/lifecycle/rules/attention';
import { projectRoot } from '../../src/platform/project-root';

const page = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');

test('docs/operation/audit-log.md lists every audited action with its object', () => {
  const rows = [...page('docs/operation/audit-log.md').matchAll(/^\| `(\w+)` \| (`\w+\.\w+`.*) \|$/gm)];
  const listed = rows.flatMap(([, type, actions]) =>
    [...actions!.matchAll(/`(.+?)`/g)].map(([, name]) => [name, type]),
  );
  expect(listed.sort()).toEqual(Object.entries(AUDIT_ACTIONS).sort());
});

test('the attention reasons of the engine have a section each in docs/how-to/attention.md, with cause and steps', () => {
  const [, ...sections] = page('docs/how-to/attention.md').split(/^## /m);
  expect(sections.map((section) => section.split('\n')[0])).toEqual(ATTENTION_REASONS);
  for (const section of sections) {
    const { text, dismissable = false } = ATTENTION[section.split('\n')[0] as AttentionReason];
    expect(section.replace(/\s+/g, ' ').toLowerCase()).toContain(text.toLowerCase());
    expect(section).toMatch(/^1\. /m);
    if (dismissable) expect(section).toContain('`dismiss`');
  }
});

test('docs/operation/command-line.md and assistants.md name every operation of the command line', () => {
  const words = (command: string) => command.replace(/ <.*/, '');
  const rows = [...page('docs/operation/command-line.md').matchAll(/^\| `([a-z ]+)( <[^`]*| --[^`]*)?` \|/gm)];
  const named = rows.map(([, command]) => words(command!));
  expect(named.toSorted()).toEqual([...OPERATIONS.map(({ command }) => command), 'listen', 'mcp'].toSorted());
  const [reading, acting] = [
    ...page('docs/operation/assistants.md').matchAll(/^\| (`.*) \| (?:Always|With .*) \|$/gm),
  ].map(([, tools]) => [...tools!.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const tools = (acts: boolean) =>
    OPERATIONS.filter((each) => each.acts === acts).map(({ command }) => command.replace(' ', '_'));
  expect(reading).toEqual(tools(false));
  expect(acting).toEqual(tools(true).filter((name) => !name.startsWith('trigger_') || name === 'trigger_order'));
});
