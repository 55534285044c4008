/**
 * Packs the client and installs it in an empty project: as an ES module, with `require`, and with the types resolved by tsc.
 *
 *   npm run check -- client
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const project = mkdtempSync(join(tmpdir(), 'pressline-client-'));
let failures = 0;

const report = (ok, line) => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${line}`);
  if (!ok) failures += 1;
};

/** Runs a program in the project and reports whether it succeeds. */
function check(line, command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  report(status === 0, line);
  if (status !== 0) console.log(`${stdout}${stderr}`);
}

/** A program that works as an ES module, and with `require` in place of the import. */
const program = (load) => `${load}
const client = createPresslineClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key', retries: 0 });
if (typeof client.submitOrder !== 'function') throw new Error('no operation');
try { verifyWebhook('{}', {}, 'whsec_' + 'A'.repeat(44)); throw new Error('not refused'); }
catch (error) { if (!(error instanceof WebhookVerificationError)) throw error; }
`;
const NAMES = '{ createPresslineClient, verifyWebhook, WebhookVerificationError }';
const TYPED = `import { createPresslineClient, type PresslineError, verifyWebhook, type WebhookEvent } from '@pressline/client';

const client = createPresslineClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key' });
export async function statusOf(orderId: string): Promise<string> {
  const order = await client.getOrder({ params: { orderId } });
  const { fulfillmentStatus }: { fulfillmentStatus: string } = order;
  return fulfillmentStatus;
}
export function trackingCodeOf(event: WebhookEvent): string | undefined {
  // @ts-expect-error Only one of the events has a tracking code.
  event.trackingCode;
  return event.event === 'order_item_tracking_code_updated' ? event.trackingCode : undefined;
}
export const requestIdOf = (error: PresslineError): string | undefined => error.requestId;
export const hear = (body: string, headers: Headers) => trackingCodeOf(verifyWebhook(body, headers, 'whsec_'));
`;

try {
  execFileSync('npm', ['run', '--silent', 'pack', '--', 'client'], { cwd: root, stdio: 'inherit' });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tarball = join(root, 'out', `pressline-client-${version}.tgz`);
  writeFileSync(join(project, 'package.json'), '{ "name": "shop", "private": true }\n');
  check('npm install of the tarball in an empty project', 'npm', ['install', '--no-audit', '--no-fund', tarball]);
  const { dependencies = {} } = JSON.parse(
    readFileSync(join(project, 'node_modules/@pressline/client/package.json'), 'utf8'),
  );
  report(Object.keys(dependencies).length === 0, 'it has no dependencies');

  writeFileSync(join(project, 'esm.mjs'), program(`import ${NAMES} from '@pressline/client';`));
  check('as an ES module', process.execPath, ['esm.mjs']);
  writeFileSync(join(project, 'cjs.cjs'), program(`const ${NAMES} = require('@pressline/client');`));
  check('with require', process.execPath, ['cjs.cjs']);

  writeFileSync(join(project, 'typed.ts'), TYPED);
  const require = createRequire(import.meta.url);
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
  symlinkSync(join(root, 'node_modules', '@types'), join(project, 'node_modules', '@types'));
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])
    check(`types with --moduleResolution ${resolution}`, process.execPath, [
      tsc,
      ...['--noEmit', '--strict', '--target', 'es2022', '--types', 'node'],
      ...['--module', module, '--moduleResolution', resolution, 'typed.ts'],
    ]);
} catch (error) {
  report(false, error.message);
}
rmSync(project, { recursive: true, force: true });
console.log(failures === 0 ? 'The client package works.' : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;
