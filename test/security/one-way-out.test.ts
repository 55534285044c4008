import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/**
 * Only the safe client connects to addresses from clients and partners. Every other file that can open a connection is
 * listed here with its reason. A new file that can must be added with a reason.
 */

const OPENS_CONNECTIONS: Readonly<Record<string, string>> = {
  'src/platform/http/safe-client.ts': 'the safe client itself',
  'src/platform/http/outbound-addresses.ts':
    'the connector of the safe client, which checks addresses, and its DNS lookup',
  'src/platform/postgres.ts': 'tells the name of a Postgres server from its address',
  'src/platform/objects/s3-store.ts': 'the object store in the configuration',
  'packages/embedded-servers/supervisor.ts': 'checks the health of an embedded server',
  'packages/embedded-servers/ports.ts': 'listens briefly to find a free port',
  'src/carriers/easypost/api.ts': 'the gateway in the configuration; the safe client downloads labels',
  'src/accounts/identity-provider.ts': 'the OpenID Connect provider in the configuration',
  'kits/partner-kit/listener.ts': 'the listener of a conformance check, for postbacks and print files',
  'cli/remote/listen.ts': 'the developer machine that a command forwards notifications to, and its listener',
  'api/http/server.ts': 'the API server',
  'src/platform/metrics/metrics-server.ts': 'the listener of metrics and health probes',
  'cli/temporal-runtime.ts': 'reads the metrics of the Temporal SDK on the loopback interface',
};

const MODULES =
  /(?:from|import\(|require\()\s*'(?:node:)?(?:https?|http2|net|tls|dns|dns\/promises|dgram|undici|@aws-sdk\/(?!s3-request-presigner)[\w-]+|@easypost\/api|openid-client)'/;
const GLOBALS = /\bfetch\(|\bnew (?:WebSocket|EventSource)\(/;

test('only the safe client and the listed files open connections', () => {
  const root = projectRoot();
  const found = ['src', 'api', 'activities', 'workflows', 'cli', 'kits', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('test/'))
      .map((name) => join(root, folder, name))
      .filter((path) => {
        const code = readFileSync(path, 'utf8').replace(/^import type .*$/gm, '');
        return MODULES.test(code) || GLOBALS.test(code);
      })
      .map((path) => relative(root, path).replaceAll('\\', '/')),
  );
  expect(found.sort()).toEqual(Object.keys(OPENS_CONNECTIONS).sort());
});
