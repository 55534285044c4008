import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** Every block of a programming language in the documents is run by a test, or this file says why it cannot be. */

const read = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');
const LANGUAGES = ['sh', 'js', 'ts', 'python', 'go', 'java', 'sql', 'diff'];

/** Tests, and the pages whose blocks they run. */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  'test/cli/remote.test.ts': ['docs/operation/command-line'],
  'test/cli/start.test.ts': ['docs/operation/backup-and-recovery'],
  'test/deploy/compose.test.ts': ['docs/operation/deployment'],
  'test/docs/api-examples.test.ts': [
    'docs/how-to/play-the-partner',
    'docs/how-to/sign-in-with-openid-connect',
    'docs/operation/audit-log',
    'docs/operation/inspecting-orders',
    'docs/partners',
  ],
  'test/docs/clients.test.ts': [
    'docs/clients',
    'docs/go-live',
    'docs/how-to/change-a-price',
    'docs/how-to/onboard-a-client',
    'docs/how-to/onboard-a-partner',
    'docs/money',
    'docs/notifications',
    'docs/operation/messages',
    'docs/prepare-files',
    'docs/tutorials/become-a-print-partner',
    'docs/tutorials/extend-pressline',
    'docs/tutorials/run-it-for-a-day',
    'docs/tutorials/sell-your-first-print',
    'docs/when-things-go-wrong',
  ],
  'test/docs/partners.test.ts': ['docs/partners'],
  'test/src/carriers/adapters.test.ts': ['docs/tutorials/extend-pressline'],
  'test/src/platform/config.test.ts': [
    'docs/how-to/sign-in-with-openid-connect',
    'docs/operation/deployment',
    'docs/operation/encryption',
  ],
  'test/workflows/encryption.test.ts': ['docs/operation/encryption'],
  'test/workflows/order/replay.test.ts': ['docs/tutorials/extend-pressline'],
};

/** Blocks that no test runs as they stand, by their page and a text in them, and the reason. */
const NOT_RUN: readonly (readonly [page: string, text: string, reason: string])[] = [
  ['README', 'npm ci && npm run demo', 'installs a clone: CI does, and test/cli/demo.test.ts runs the demo'],
  [
    'docs/operation/embedded-stack',
    'npm ci && npm start',
    'installs a clone: CI does, and test/cli/start.test.ts starts it',
  ],
  ['docs/partners', '/v2/subscribe', 'its addresses do not exist: test/examples runs the same call with its own'],
  ['docs/partners', 'check-partner', 'its addresses do not exist: test/examples runs the same check with its own'],
  [
    'docs/operation/command-line',
    'docker run',
    'needs a container engine and published packages: test/cli/remote.test.ts runs the command',
  ],
  ['docs/operation/deployment', 'kubectl create secret', 'needs a cluster'],
  ['docs/operation/deployment', 'helm install', 'needs a cluster: `npm run check:helm` renders the chart'],
  ['docs/operation/deployment', 'kubectl exec', 'needs a cluster: `npm run rehearse` runs the command'],
  [
    'docs/operation/upgrades',
    'packingPhotosMs',
    'a line of an example: test/workflows/order/replay.test.ts runs those of the tutorial',
  ],
  [
    'docs/operation/upgrades',
    'packing-photos',
    'a line of an example: test/workflows/order/replay.test.ts runs those of the tutorial',
  ],
  ['docs/operation/upgrades', '1. start new workers', 'needs a deployment: `npm run rehearse` takes these steps'],
  ['docs/operation/upgrades', '--pin', 'needs a deployment: `npm run rehearse` takes these steps'],
  ['docs/operation/upgrades', 'workflow count', 'needs a deployment with two worker versions'],
  ['docs/operation/upgrades', 'update-options', 'needs a deployment with two worker versions'],
  ['docs/operation/archive', 'restore-archive', 'needs archived orders: test/src/orders/archive restores days'],
  [
    'docs/operation/archive',
    'receipts.parquet',
    'needs DuckDB, which is no dependency: test/src/orders/archive reads the files',
  ],
  ['docs/operation/scale', 'npm run simulate', 'takes a minute: test/bench/simulation runs the simulation'],
  ['docs/development/benchmarks', 'npm run bench:', 'benchmarks'],
  ['docs/development/rehearsal', 'npm run rehearse', 'takes a quarter of an hour'],
  ['docs/development/fuzzing', 'npm run fuzz --', 'takes minutes: test/fuzz sends fewer requests'],
  ['docs/development/fuzzing', 'schemathesis', 'installs a program'],
];

const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: projectRoot() })].map((path) =>
  path.replace(/\.md$/, ''),
);
const programs = pages.flatMap((page) =>
  [...read(`${page}.md`).matchAll(new RegExp(`^ *\`\`\`(?:${LANGUAGES.join('|')})\\n(.*?)^ *\`\`\``, 'gms'))].map(
    ([, code]) => ({ page, code: code! }),
  ),
);

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

test('every `npm run` of the documents is a script', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const named = pages.flatMap((page) =>
    [...read(`${page}.md`).matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(([, name]) => name!),
  );
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
