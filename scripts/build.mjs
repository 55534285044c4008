/**
 * Compiles the sources into dist/ and bundles the compiled workflows into dist/workflow-bundle.js.
 * Does nothing when dist/ is up to date. A lock makes it safe to start two stacks of one checkout at the same time.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import lockfile from 'proper-lockfile';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const stampFile = join(dist, 'built-from');
const bundleFile = join(dist, 'workflow-bundle.js');

const config = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));

/** Returns the paths of the files in a folder that end in `ending`, sorted. */
function filesBelow(dir, ending) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true })
    .map((name) => join(dir, name))
    .filter((path) => path.endsWith(ending) && statSync(path).isFile())
    .sort();
}

/** Returns a hash of everything that dist/ depends on. dist/built-from holds the hash of the last build. */
function sourcesHash() {
  const hash = createHash('sha256').update(process.version);
  const inputs = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs'].map(
    (name) => join(root, name),
  );
  for (const file of [...inputs, ...config.include.flatMap((dir) => filesBelow(join(root, dir), '.ts'))]) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

const isCurrent = (hash) =>
  existsSync(stampFile) && existsSync(bundleFile) && readFileSync(stampFile, 'utf8') === hash;

function compile() {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const tsc = join(typescript, 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
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
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(dist, 'workflows', 'index.js'),
    workflowInterceptorModules: ['stale-workflow-tasks.js', 'job-runs.js', 'tracing.js'].map((name) =>
      join(dist, 'workflows', name),
    ),
    failureConverterPath: join(dist, 'src', 'platform', 'temporal', 'codec', 'workflow-failures.js'),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.warn, error: console.error },
  });
  writeFileSync(`${bundleFile}.${process.pid}`, code);
  renameSync(`${bundleFile}.${process.pid}`, bundleFile);
}

const hash = sourcesHash();
if (!isCurrent(hash)) {
  mkdirSync(dist, { recursive: true });
  const release = await lockfile.lock(dist, {
    lockfilePath: join(dist, 'build.lock'),
    stale: 30_000,
    retries: { retries: 600, factor: 1, minTimeout: 200, maxTimeout: 200 },
  });
  try {
    if (!isCurrent(hash)) {
      const started = Date.now();
      rmSync(stampFile, { force: true });
      compile();
      await bundle();
      writeFileSync(stampFile, hash);
      console.log(`Built in ${((Date.now() - started) / 1_000).toFixed(1)} s.`);
    }
  } catch (error) {
    // A failed compiler has a status, and has already printed its errors.
    if (error.status === undefined) console.error(error.message);
    process.exitCode = 1;
  } finally {
    await release();
  }
}
