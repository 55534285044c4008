import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, loadConfig, VARIABLES } from '../../../src/platform/config';
import { projectRoot } from '../../../src/platform/project-root';

const DOCUMENT = join(projectRoot(), 'docs/configuration.md');

test('docs/configuration.md lists every variable of the code in the same order', () => {
  const rows = [...readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `([A-Z0-9_]+)` \| (.+?) \| (.+) \|$/gm)];
  const documented = rows.map(([, name, fallback, doc]) => ({ name, fallback, doc }));
  const inCode = Object.entries(VARIABLES).map(([name, { fallback, doc }]) => ({ name, fallback, doc }));
  expect(documented).toEqual(inCode);
});

test('every variable has a default', () => {
  expect(loadConfig({})).toMatchObject({
    PORT: 3000,
    RATE_LIMIT: 100,
    SANDBOX: 'auto',
    SHUTDOWN_GRACE: 10_000,
  });
});

test('an empty variable counts as not set', () => {
  expect(loadConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 3000, DATABASE_URL: undefined });
});

test('durations are parsed to milliseconds', () => {
  expect(loadConfig({ FILE_RETRY_WINDOW: '90m' }).FILE_RETRY_WINDOW).toBe(5_400_000);
});

test('removes the trailing slash of URLs', () => {
  expect(loadConfig({ PUBLIC_URL: 'https://print.example/' }).PUBLIC_URL).toBe('https://print.example');
});

test.each([
  ['PORT', '99999'],
  ['PORT', 'http'],
  ['SANDBOX', 'maybe'],
  ['RATE_LIMIT', '-1'],
  ['DATABASE_URL', 'mysql://x/y'],
  ['SHUTDOWN_GRACE', '10'],
  ['LINK_SECRET', 'short'],
  ['LOG_LEVEL', 'loud'],
])('a wrong %s (%s) ends the start with one line that names it', (name, value) => {
  const load = () => loadConfig({ [name]: value });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(new RegExp(`^Wrong configuration: ${name}: [^\\n]+$`));
});

test('names every invalid variable', () => {
  expect(() => loadConfig({ PORT: 'x', SANDBOX: 'y' })).toThrow(/PORT: .*SANDBOX: /);
});
