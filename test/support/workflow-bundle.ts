import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { projectRoot } from '../../src/platform/project-root';

/** Bundles of other sources are kept for an hour. */
const KEPT_MS = 3_600_000;
/** As scripts/build/build.mjs has it. */
const CODEC = 'src/platform/temporal/codec';
const INTERCEPTORS = ['stale-workflow-tasks', 'empty-workflow-tasks', 'job-runs', 'tracing'];

/**
 * Bundles workflows/index.ts, or finds the bundle made of the same sources before.
 * @returns path of the bundle
 */
export async function bundleForTests(): Promise<string> {
  const root = projectRoot();
  const workflowsPath = join(root, 'workflows', 'index.ts');
  if (!existsSync(workflowsPath)) throw new Error('there is no workflows/index.ts');
  const cache = join(root, 'node_modules', '.cache', 'pressline');
  const path = join(cache, `workflow-bundle-${await sourcesHash(root)}.js`);
  if (existsSync(path)) return path;
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: INTERCEPTORS.map((name) => join(root, 'workflows', `${name}.ts`)),
    failureConverterPath: join(root, CODEC, 'failures.ts'),
    payloadConverterPath: join(root, CODEC, 'payloads.ts'),
    logger: quiet,
  });
  await mkdir(cache, { recursive: true });
  for (const name of await readdir(cache)) {
    const old = join(cache, name);
    // A younger one may be in use by another test run.
    if (name.startsWith('workflow-bundle-') && Date.now() - (await stat(old)).mtimeMs > KEPT_MS) {
      await rm(old, { force: true });
    }
  }
  await writeFile(`${path}.${process.pid}`, code);
  await rename(`${path}.${process.pid}`, path);
  return path;
}

/** Of everything that workflow code may import: itself, pure domain modules, and the installed packages. */
async function sourcesHash(root: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(root, 'package-lock.json')));
  for (const top of ['workflows', 'activities', 'src']) {
    const entries = await readdir(join(root, top), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'));
    for (const file of files.map((entry) => join(entry.parentPath, entry.name)).sort()) {
      const path = relative(root, file).replaceAll('\\', '/');
      if (path.startsWith(CODEC) || /^workflows\/|^src\/[^/]+\/domain\//.test(path))
        hash.update(path).update(await readFile(file));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

const silent = () => undefined;
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
