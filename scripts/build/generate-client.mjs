/**
 * Generates client/operations.ts from the OpenAPI document of the routes. Does nothing when the file was generated from the
 * same sources.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireTypeScript } from './load-typescript.mjs';
import { openApiDocument } from './openapi.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const file = join(root, 'client', 'operations.ts');

/** Returns every file that the document can depend on. */
function sources() {
  const inputs = [
    'package-lock.json',
    'scripts/build/generate-client.mjs',
    'scripts/build/openapi.mjs',
    'client/generate.ts',
  ];
  for (const dir of ['api', 'kits/partner-kit', 'packages/file-reader', 'src']) {
    for (const name of readdirSync(join(root, dir), { recursive: true }).sort()) {
      if (name.endsWith('.ts')) inputs.push(join(dir, name));
    }
  }
  return inputs;
}

const hash = createHash('sha256');
for (const input of sources())
  hash
    .update(input)
    .update('\0')
    .update(readFileSync(join(root, input)));
const stamp = `// Generated from the routes by \`npm run generate\`. Hash of the sources: ${hash.digest('hex').slice(0, 16)}\n\n`;

if (!existsSync(file) || !readFileSync(file, 'utf8').startsWith(stamp)) {
  const require = requireTypeScript(import.meta.url);
  const { generateOperations } = require('../../client/generate');
  const biome = require.resolve('@biomejs/biome/bin/biome');
  const formatted = execFileSync(
    process.execPath,
    [biome, 'format', '--vcs-enabled=false', '--stdin-file-path=client/operations.ts'],
    { cwd: root, input: generateOperations(openApiDocument()), encoding: 'utf8' },
  );
  // Two processes can write at the same time.
  writeFileSync(`${file}.${process.pid}`, stamp + formatted);
  renameSync(`${file}.${process.pid}`, file);
}
