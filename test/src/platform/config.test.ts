import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, loadConfig, VARIABLES } from '../../../src/platform/config';
import { projectRoot } from '../../../src/platform/project-root';
import { bash, blocks } from '../../support/pages';

const DOCUMENT = join(projectRoot(), 'docs/operation/configuration.md');

test('docs/operation/configuration.md names every variable of the code once', () => {
  const rows = [...readFileSync(DOCUMENT, 'utf8').matchAll(/^\| .+ \| (`.+`) \|$/gm)];
  const named = rows.flatMap(([, cell]) => cell!.slice(1, -1).split('`, `'));
  expect(named.sort()).toEqual(Object.keys(VARIABLES).sort());
});

test.each([
  ['operation/deployment', 2],
  ['operation/encryption', 2],
  ['how-to/sign-in-with-openid-connect', 1],
])('the settings of docs/%s.md are valid', async (page, count) => {
  const settings = blocks(page, 'sh').filter((block) => /^(?:[A-Z0-9_]+=\S*\n|[A-Z_]+="\S*\$\(.*\)"\n)+$/.test(block));
  expect(settings).toHaveLength(count);
  for (const block of settings) {
    const names = [...block.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name!);
    const { stdout, stderr } = await bash(
      `${block.replaceAll('…', 'secret')}\nfor name in ${names.join(' ')}; do echo "$name=\${!name}"; done`,
    );
    expect(stderr).toBe('');
    const config = loadConfig(parseEnv(stdout));
    for (const name of names) expect(config[name as keyof typeof config]).toBeDefined();
  }
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

test('the trailing slash of URLs is removed', () => {
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

const OIDC = {
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'pressline',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_ROLES: 'print-admins:admin, urn:group:ops:operator,/a path/:viewer',
};

test('roles of groups are parsed, and the text after the last colon is the role', () => {
  expect([...loadConfig(OIDC).OIDC_ROLES!]).toEqual([
    ['print-admins', 'admin'],
    ['urn:group:ops', 'operator'],
    ['/a path/', 'viewer'],
  ]);
});

test.each(['print-admins', 'print-admins:root', ':admin', 'a:admin,,b:viewer', 'a:admin,a:viewer', 'a:Admin'])(
  'the roles of groups %j are refused',
  (OIDC_ROLES) => {
    expect(() => loadConfig({ ...OIDC, OIDC_ROLES })).toThrow(/^Wrong configuration: OIDC_ROLES: [^\n]+$/);
  },
);

test('CLIENT_QUOTAS sets limits by the names of quotas', () => {
  expect(loadConfig({ CLIENT_QUOTAS: 'drafts:500, exports:0' }).CLIENT_QUOTAS).toEqual({ drafts: 500, exports: 0 });
  for (const CLIENT_QUOTAS of ['drafts', 'drafts:-1', 'drafts:1,drafts:2', 'other:1', 'drafts:9999999999999999'])
    expect(() => loadConfig({ CLIENT_QUOTAS })).toThrow(/^Wrong configuration: CLIENT_QUOTAS: [^\n]+ordersPerMinute/);
});

test.each(Object.keys(OIDC))('OpenID Connect without %s ends the start with one line', (name) => {
  const load = () => loadConfig({ ...OIDC, [name]: '' });
  expect(load).toThrow(new RegExp(`^Wrong configuration: ${name}: needed with OIDC_[^\n]+$`));
});

test('an issuer over plain http is for private networks only', () => {
  const plain = { ...OIDC, OIDC_ISSUER: 'http://id.example', DATABASE_URL: 'postgres://db/pressline' };
  expect(() => loadConfig(plain)).toThrow(/OIDC_ISSUER: expected an https URL/);
  expect(loadConfig({ ...plain, OUTBOUND_ALLOW_PRIVATE: 'true' }).OIDC_ISSUER).toBe('http://id.example');
});

test('the error names every invalid variable', () => {
  expect(() => loadConfig({ PORT: 'x', SANDBOX: 'y' })).toThrow(/PORT: .*SANDBOX: /);
});
