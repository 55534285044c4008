import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** The compiled start of the order workflow. */
const ORDER_START = 'async function order(input) {\n';

/**
 * Creates a release whose order workflow takes one step more, as after a change with `patched`: a worker of this release
 * cannot continue an order that has taken the step.
 * @param patch name of the step. Workflows that have taken it have it as `TemporalChangeVersion`
 */
export async function createNextRelease(folder: string, patch: string): Promise<void> {
  const from = projectRoot();
  await cp(join(from, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(from, 'package.json'), join(folder, 'package.json'));
  for (const shared of ['node_modules', 'src']) await symlink(join(from, shared), join(folder, shared));
  const bundle = join(folder, 'dist', 'workflow-bundle.js');
  const code = await readFile(bundle, 'utf8');
  if (code.split(ORDER_START).length !== 2) throw new Error(`${bundle} has no order workflow`);
  const step = `globalThis.__TEMPORAL_ACTIVATOR__.patchInternal('${patch}', false);\n`;
  await writeFile(bundle, code.replace(ORDER_START, ORDER_START + step));
}
