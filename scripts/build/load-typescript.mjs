import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { transformSync } from '@swc/core';

/**
 * Returns a `require` that compiles TypeScript sources, as jest does. Scripts that describe the product read its own tables with it.
 * @param url the URL of the importing script, to which paths are relative
 */
export function requireTypeScript(url) {
  Module._extensions['.ts'] = (module, path) => {
    const { code } = transformSync(readFileSync(path, 'utf8'), {
      filename: path,
      swcrc: false,
      jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    module._compile(code, path);
  };
  return createRequire(url);
}
