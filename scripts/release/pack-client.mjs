/**
 * Compiles client/ and packs it as @pressline/client, with the version of package.json.
 *
 *   npm run pack -- client      (writes out/pressline-client-<version>.tgz)
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const out = join(root, 'out');
const folder = join(out, 'client');
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', join(root, 'client', 'tsconfig.package.json')], {
  cwd: root,
  stdio: 'inherit',
});

const names = Object.keys(createRequire(import.meta.url)(join(folder, 'index.js'))).filter(
  (name) => name !== '__esModule',
);
// The ES module has the same objects, so that `instanceof` works across both.
writeFileSync(
  join(folder, 'index.mjs'),
  `import client from './index.js';\n\nexport const { ${names.sort().join(', ')} } = client;\n`,
);
writeFileSync(join(folder, 'index.d.mts'), "export * from './index.js';\n");
writeFileSync(
  join(folder, 'package.json'),
  `${JSON.stringify(
    {
      name: '@pressline/client',
      version,
      description: 'Typed client of the Pressline API, with verification of its notifications',
      license,
      type: 'commonjs',
      main: './index.js',
      types: './index.d.ts',
      exports: {
        '.': {
          import: { types: './index.d.mts', default: './index.mjs' },
          require: { types: './index.d.ts', default: './index.js' },
        },
        './package.json': './package.json',
      },
      engines: { node: '>=20' },
      sideEffects: false,
    },
    null,
    2,
  )}\n`,
);
for (const name of ['client/README.md', 'LICENSE']) cpSync(join(root, name), join(folder, name.split('/').at(-1)));
const [{ filename, size, files }] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--pack-destination', out, folder], { cwd: root, encoding: 'utf8' }),
);
console.log(`${join('out', filename)}: ${files.length} files, ${Math.round(size / 1000)} kB`);
