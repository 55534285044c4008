/**
 * Writes the software bill of materials of the packages that ship (CycloneDX 1.5, JSON), from package-lock.json.
 * Usage: node scripts/release/sbom.mjs [file], default out/sbom.cdx.json
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const file = resolve(process.argv[2] ?? join(root, 'out', 'sbom.cdx.json'));
const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--workspaces=false'];
const text = execFileSync('npm', ['sbom', ...options], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const bill = JSON.parse(text);

// With --omit=dev, npm 11 also leaves out packages that ship when a development package needs them too (118 here).
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const shipped = new Set(
  Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { name, version }]) => `${name ?? path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`),
);
const components = bill.components.filter(({ group, name, version }) =>
  shipped.has(`${group ? `${group}/` : ''}${name}@${version}`),
);
const kept = new Set([bill.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
const dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => kept.has(name)) }));
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify({ ...bill, components, dependencies }, null, 2)}\n`);
process.stdout.write(`${components.length} packages in ${file}\n`);
