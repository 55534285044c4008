import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS } from '../../cli/remote/operations';
import { AUDIT_ACTIONS } from '../../src/accounts/audit-actions';
import { ATTENTION_REASONS, type AttentionReason } from '../../src/orders/domain/lifecycle/attention-reasons';
import { ATTENTION, DISMISSABLE } from '../../src/orders/domain/lifecycle/rules/attention';
import { projectRoot } from '../../src/platform/project-root';

const page = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');

test('docs/operation/audit-log.md lists every audited action with its object and description', () => {
  const rows = [...page('docs/operation/audit-log.md').matchAll(/^\| `(\w+\.\w+)` \| `(\w+)` \| (.+) \|$/gm)];
  expect(rows.map(([, action, type, description]) => [action, [type, description]])).toEqual(
    Object.entries(AUDIT_ACTIONS).map(([action, entry]) => [action, [...entry]]),
  );
});

describe('The attention reasons of the engine', () => {
  test('have a section each in docs/how-to/attention.md, with the cause and with steps', () => {
    const [, ...sections] = page('docs/how-to/attention.md').split(/^## /m);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(ATTENTION_REASONS);
    for (const section of sections) {
      const { text } = ATTENTION[section.split('\n')[0] as AttentionReason];
      expect(section.replace(/\s+/g, ' ').toLowerCase()).toContain(text.toLowerCase());
      expect(section).toMatch(/^1\. /m);
    }
  });

  test('that an open order can be dismissed of are those of docs/operation/repairs.md', () => {
    const [, sentence = ''] =
      /`dismiss`\s+clears\s+([^.]+) of\s+a\s+running\s+order\./.exec(page('docs/operation/repairs.md')) ?? [];
    expect([...sentence.matchAll(/`(\w+)`/g)].map(([, reason]) => reason)).toEqual(DISMISSABLE);
  });
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
