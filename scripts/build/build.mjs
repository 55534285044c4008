/**
 * Generates the client, compiles the sources into dist/ and bundles the compiled workflows into dist/workflow-bundle.js.
 * Does nothing when dist/ is up to date.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildOnce, dist, filesBelow, root } from './build-once.mjs';
import './generate-client.mjs';

const bundleFile = join(dist, 'workflow-bundle.js');

const config = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));

function compile() {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const tsc = join(typescript, 'bin', 'tsc');
  // `npm run check` checks the types, which takes four times as long as to compile.
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--noCheck'], {
    cwd: root,
    stdio: 'inherit',
  });
  // Removes the output of sources that were deleted or renamed.
  for (const dir of config.include) {
    for (const file of [...filesBelow(join(dist, dir), '.js'), ...filesBelow(join(dist, dir), '.js.map')]) {
      const source = join(root, file.slice(dist.length).replace(/\.js(\.map)?$/, '.ts'));
      if (!existsSync(source)) rmSync(file);
    }
  }
}

async function bundle() {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const quiet = () => undefined;
  const codec = join(dist, 'src', 'platform', 'temporal', 'codec');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(dist, 'workflows', 'index.js'),
    workflowInterceptorModules: ['stale-workflow-tasks', 'empty-workflow-tasks', 'job-runs', 'tracing'].map((name) =>
      join(dist, 'workflows', name),
    ),
    failureConverterPath: join(codec, 'failures.js'),
    payloadConverterPath: join(codec, 'payloads.js'),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.warn, error: console.error },
  });
  writeFileSync(`${bundleFile}.${process.pid}`, code);
  renameSync(`${bundleFile}.${process.pid}`, bundleFile);
}

try {
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build/build.mjs'];
  const seconds = await buildOnce({
    name: 'engine',
    inputs: [
      ...settings.map((name) => join(root, name)),
      ...config.include.flatMap((dir) => filesBelow(join(root, dir), '.ts')),
      join(root, 'src/platform/domain/address-data.json'),
    ],
    stampFile: join(dist, 'built-from'),
    outputs: [bundleFile],
    async build() {
      compile();
      await bundle();
    },
  });
  if (seconds !== undefined) console.log(`Engine built in ${seconds.toFixed(1)} s.`);
} catch (error) {
  // A failed compiler has a status, and has already printed its errors.
  if (error.status === undefined) console.error(error.message);
  process.exitCode = 1;
}
