/**
 * Bundles and packs the npm packages that run without a clone: each with the project's own sources, and with its other packages as
 * dependencies in the versions of package.json.
 *
 *   npm run pack -- packages      (writes out/*.tgz)
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const out = join(root, 'out');
const {
  version,
  license,
  engines,
  dependencies: versions,
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The image of the Compose file: the release's, or one that was built on this machine. */
const image = process.env.GITHUB_REPOSITORY
  ? `ghcr.io/${process.env.GITHUB_REPOSITORY.toLowerCase()}:${version}`
  : 'pressline';

/** The workspaces that are packed. Their package.json has the name and the description. */
const PACKAGES = [
  { source: 'kits/cli', bin: 'pressline' },
  { source: 'kits/partner-kit', bin: 'partner-kit', library: 'client/signature.ts' },
  { source: 'sandbox', bin: 'sandbox' },
  { source: 'kits/create-pressline', bin: 'create-pressline', prepare: writeComposeTemplate },
];

/** Writes docker-compose.yml, with a released image in place of a build, and the files that it mounts. */
function writeComposeTemplate(folder) {
  const template = join(folder, 'template');
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const changed = text
    .replace('  image: pressline\n', `  image: \${PRESSLINE_IMAGE:-${image}}\n`)
    .replace('    build: .\n', '')
    .replaceAll('docker compose up --build', 'docker compose up')
    .replaceAll(' up --build ', ' up ');
  if (changed.includes('build') || !changed.includes('PRESSLINE_IMAGE'))
    throw new Error('docker-compose.yml has another form');
  for (const [, path] of text.matchAll(/- \.\/(\S+?):/g))
    cpSync(join(root, path), join(template, path), { recursive: true });
  writeFileSync(join(template, 'docker-compose.yml'), changed);
}

/** Bundles a source as CommonJS, as the engine is compiled. @returns the names of the packages that the bundle uses */
async function bundle(source, folder) {
  const isOutside = (id) => !id.startsWith('.') && !isAbsolute(id);
  const built = await rolldown({
    input: join(root, source),
    platform: 'node',
    external: isOutside,
    // Modules of this project do nothing when they are loaded: a package has only what its command uses.
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await built.write({ dir: folder, format: 'cjs', chunkFileNames: '[name].js' });
  const code = output.map((chunk) => chunk.code ?? '').join('\n');
  // Imports, and the fonts whose files are looked up.
  return Object.keys(versions).filter((name) => new RegExp(`"${name}/|(require|import)\\("${name}"\\)`).test(code));
}

const typescript = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

async function pack({ source, bin, library, prepare }) {
  const { name, description } = JSON.parse(readFileSync(join(root, source, 'package.json'), 'utf8'));
  const folder = join(out, 'packages', bin);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const names = await bundle(join(source, 'main.ts'), folder);
  if (library !== undefined) {
    names.push(...(await bundle(library, folder)));
    const options = [
      '--declaration',
      '--emitDeclarationOnly',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
    ];
    execFileSync(
      process.execPath,
      [typescript, ...options, '--ignoreConfig', '--outDir', folder, join(root, library)],
      { stdio: 'inherit' },
    );
  }
  prepare?.(folder);
  const dependencies = Object.fromEntries([...new Set(names)].sort().map((each) => [each, versions[each]]));
  const base = library?.split('/').at(-1).replace('.ts', '');
  const manifest = {
    ...{ name, version, description, license, engines, type: 'commonjs', bin: { [bin]: 'main.js' }, dependencies },
    ...(base === undefined ? {} : { main: `${base}.js`, types: `${base}.d.ts` }),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, source, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', out, folder], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ filename, size, files }] = JSON.parse(packed);
  console.log(
    `${join('out', filename)}: ${files.length} files, ${Math.round(size / 1000)} kB, needs ${Object.keys(dependencies).join(', ')}`,
  );
}

for (const each of PACKAGES) await pack(each);
