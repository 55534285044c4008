/**
 * Generates the Python client from the OpenAPI document of this source tree, and builds its wheel with the version of package.json.
 *
 *   npm run pack -- python-client      (writes out/pressline_client-<version>-py3-none-any.whl; needs Python 3.11 with venv)
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../scripts/build/openapi.mjs';

const GENERATOR = ['openapi-python-client==0.29.1', 'ruff==0.17.6'];

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const out = join(root, 'out');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'pressline-python-'));
try {
  const bin = join(folder, 'venv', 'bin');
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
  execFileSync(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...GENERATOR]);
  const document = openApiDocument('https://pressline.example.com');
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  // YAML reads JSON.
  const names = { project_name_override: 'pressline-client', package_name_override: 'pressline_client' };
  writeFileSync(join(folder, 'config.yml'), JSON.stringify({ ...names, package_version_override: version }));
  const target = join(folder, 'client');
  const { status, stdout, stderr } = spawnSync(
    join(bin, 'openapi-python-client'),
    ['generate', '--path', 'openapi.json', '--config', 'config.yml', '--output-path', target, '--fail-on-warning'],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` } },
  );
  if (status !== 0) throw new Error(`openapi-python-client failed:\n${stdout}${stderr}`);
  const operations = Object.values(document.paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
  const generated = readdirSync(join(target, 'pressline_client', 'api'), { recursive: true }).filter(
    (name) => name.endsWith('.py') && !name.endsWith('__init__.py'),
  ).length;
  if (generated !== operations) throw new Error(`${generated} of ${operations} operations were generated`);
  cpSync(join(import.meta.dirname, 'README.md'), join(target, 'README.md'));
  mkdirSync(out, { recursive: true });
  execFileSync(join(bin, 'pip'), [
    'wheel',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--wheel-dir',
    out,
    target,
  ]);
  console.log(`out/pressline_client-${version}-py3-none-any.whl: ${generated} operations`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
