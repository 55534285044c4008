import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

let found: string | undefined;

/** Returns the folder of package.json. It is the same for the sources and for the compiled code in dist/. */
export function projectRoot(): string {
  if (found !== undefined) return found;
  let dir = __dirname;
  while (!existsSync(join(dir, 'package.json'))) {
    const parent = dirname(dir);
    if (parent === dir) throw new Error('package.json not found above the running code');
    dir = parent;
  }
  found = dir;
  return dir;
}
