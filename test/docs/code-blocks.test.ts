import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';
import { blocks } from '../support/pages';

/** Every block of a programming language in the documents is run by a test, or this file says why it cannot be. */

const read = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');
const LANGUAGES = ['sh', 'js', 'ts', 'python', 'go', 'java', 'sql', 'diff'];

/** Tests, and the pages whose blocks they run. */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  'test/cli/remote.slow.test.ts': ['operation/command-line'],
  'test/cli/start.slow.test.ts': ['operation/backup-and-recovery'],
  'test/deploy/compose.test.ts': ['operation/deployment'],
  'test/docs/api-examples.slow.test.ts': [
    'how-to/play-the-partner',
    'how-to/sign-in-with-openid-connect',
    'operation/audit-log',
    'operation/inspecting-orders',
    'partners',
  ],
  'test/docs/clients.slow.test.ts': [
    'clients',
    'go-live',
    'how-to/change-a-price',
    'how-to/onboard-a-client',
    'how-to/onboard-a-partner',
    'money',
    'notifications',
    'operation/messages',
    'prepare-files',
    'tutorials/become-a-print-partner',
    'tutorials/extend-pressline',
    'tutorials/orders-without-a-developer',
    'tutorials/run-it-for-a-day',
    'tutorials/sell-your-first-print',
    'when-things-go-wrong',
  ],
  'test/docs/signatures.slow.test.ts': ['partners'],
  'test/src/carriers/adapters.test.ts': ['tutorials/extend-pressline'],
  'test/src/platform/config.test.ts': [
    'how-to/sign-in-with-openid-connect',
    'operation/deployment',
    'operation/encryption',
  ],
  'test/workflows/encryption.test.ts': ['operation/encryption'],
  'test/workflows/order/replay.test.ts': ['tutorials/extend-pressline'],
};

/** Blocks that no test runs as they stand, by their page and a text in them, and the reason. */
const NOT_RUN: readonly (readonly [page: string, text: string, reason: string])[] = [
  ['../README', 'npm ci && npm run demo', 'installs a clone: CI does, and test/cli/demo.slow.test.ts runs the demo'],
  [
    'operation/embedded-stack',
    'npm ci && npm start',
    'installs a clone: CI does, and test/cli/start.slow.test.ts starts it',
  ],
  ['partners', '/v2/subscribe', 'its addresses do not exist: test/examples runs the same call with its own'],
  ['partners', 'check-partner', 'its addresses do not exist: test/examples runs the same check with its own'],
  [
    'operation/command-line',
    'docker run',
    'needs a container engine and published packages: test/cli/remote.slow.test.ts runs the command',
  ],
  ['channels', '--data-binary @may.csv', 'needs a channel and a file: test/api/channels sends both'],
  ['operation/deployment', 'kubectl create secret', 'needs a cluster'],
  ['operation/deployment', 'helm install', 'needs a cluster: `npm run check -- helm` renders the chart'],
  ['operation/deployment', 'kubectl exec', 'needs a cluster: `npm run bench -- rehearsal` runs the command'],
  [
    'operation/upgrades',
    'packingPhotosMs',
    'a line of an example: test/workflows/order/replay.test.ts runs those of the tutorial',
  ],
  [
    'operation/upgrades',
    'packing-photos',
    'a line of an example: test/workflows/order/replay.test.ts runs those of the tutorial',
  ],
  ['operation/upgrades', '1. start new workers', 'needs a deployment: `npm run bench -- rehearsal` takes these steps'],
  ['operation/upgrades', '--pin', 'needs a deployment: `npm run bench -- rehearsal` takes these steps'],
  ['operation/upgrades', 'workflow count', 'needs a deployment with two worker versions'],
  ['operation/upgrades', 'update-options', 'needs a deployment with two worker versions'],
  ['operation/archive', 'restore-archive', 'needs archived orders: test/src/orders/upkeep restores days'],
  [
    'operation/archive',
    'receipts.parquet',
    'needs DuckDB, which is no dependency: test/src/orders/upkeep reads the files',
  ],
  ['operation/scale', 'npm run bench -- simulation', 'takes a minute: bench/test/simulation runs the simulation'],
  ['development/benchmarks', 'npm run bench -- orders', 'benchmarks'],
  ['development/rehearsal', 'npm run bench -- rehearsal', 'takes a quarter of an hour'],
  ['development/fuzzing', 'npm run check -- fuzz', 'takes minutes: test/fuzz sends fewer requests'],
  ['development/fuzzing', 'schemathesis', 'installs a program'],
];

/** Paths below docs/, without `.md`. */
const pages = [
  '../README',
  ...globSync('**/*.md', { cwd: join(projectRoot(), 'docs') }).map((path) => path.slice(0, -3)),
];
const programs = pages.flatMap((page) => blocks(page, `(?:${LANGUAGES.join('|')})`).map((code) => ({ page, code })));

const isNotRun = (page: string, code: string) => NOT_RUN.some(([name, text]) => name === page && code.includes(text));

test('a test runs every block, or the list of exceptions says why none can', () => {
  const isRun = new Set(Object.values(RUN_BY).flat());
  const unknown = programs.filter(({ page, code }) => !isRun.has(page) && !isNotRun(page, code));
  expect(unknown).toEqual([]);
});

test('each exception is one block', () => {
  for (const [page, text] of NOT_RUN) {
    const found = programs.filter((program) => program.page === page && program.code.includes(text));
    expect([page, text, found.length]).toEqual([page, text, 1]);
  }
});

test.each(Object.entries(RUN_BY))('%s reads the pages whose blocks it runs', (file, names) => {
  const code = read(file);
  for (const page of names) {
    expect(code).toContain(page.split('/').at(-1));
    expect(programs.filter((program) => program.page === page && !isNotRun(page, program.code))).not.toEqual([]);
  }
});

test('every `npm run` of the documents is a script, a command of scripts/commands.json or a benchmark', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const bench = Object.fromEntries(
    globSync('*.ts', { cwd: join(projectRoot(), 'bench') }).map((file) => [file.slice(0, -3), file]),
  );
  const commands = { ...JSON.parse(read('scripts/commands.json')), bench };
  const named = pages.flatMap((page) => [
    ...read(`docs/${page}.md`).matchAll(/\bnpm\s+run\s+([a-z][\w:-]*)(?:\s+--\s+([a-z][\w-]*))?/g),
  ]);
  const unknown = named.filter(
    ([, script, name]) => !(script! in scripts) || (name && script! in commands && !(name in commands[script!])),
  );
  expect(unknown.map(([text]) => text)).toEqual([]);
});
