import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

let found: string | undefined;

/** The folder of package.json: the same whether this runs from the sources or from dist/. */
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
