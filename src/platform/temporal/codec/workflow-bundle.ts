import { readFile } from 'node:fs/promises';
import type { KeyRing } from '../../sealing/named-keys';

const PLAIN = 'pressline:failure-messages:plain';
const ENCODED = 'pressline:failure-messages:encoded';

/**
 * Returns the workflow bundle for a worker. With encryption, workflow code also encodes the messages of its failures. Both
 * cases use one bundle with one changed word, because a second bundle would double the build time.
 * @throws Error for a bundle that was built without workflow-failures.ts
 */
export async function bundleFor(
  keys: KeyRing | undefined,
  { codePath }: { readonly codePath: string },
): Promise<{ readonly codePath: string } | { readonly code: string }> {
  if (keys === undefined) return { codePath };
  const code = await readFile(codePath, 'utf8');
  if (code.split(PLAIN).length !== 2) throw new Error(`${codePath} was bundled without the failure converter`);
  return { code: code.replace(PLAIN, ENCODED) };
}
