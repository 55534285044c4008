import { readFile } from 'node:fs/promises';
import type { PayloadKey } from './payload-keys';

const PLAIN = 'pressline:failure-messages:plain';
const ENCODED = 'pressline:failure-messages:encoded';

/**
 * The bundle as a worker runs it. One that encrypts has workflow code encode its failures' messages: there is one
 * bundle for both, since a second one would double the time of every build for one word.
 * @throws Error for a bundle that was made without workflow-failures.ts
 */
export async function bundleFor(
  keys: readonly PayloadKey[] | undefined,
  { codePath }: { readonly codePath: string },
): Promise<{ readonly codePath: string } | { readonly code: string }> {
  if (keys === undefined) return { codePath };
  const code = await readFile(codePath, 'utf8');
  if (code.split(PLAIN).length !== 2)
    throw new Error(`${codePath} was not bundled with the failure converter`);
  return { code: code.replace(PLAIN, ENCODED) };
}
