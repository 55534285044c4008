/**
 * Writes .env.example from the configuration table (src/platform/config.ts). With --check, changes nothing and fails when the file
 * differs from the table.
 *
 *   npm run env-example [-- --check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { requireTypeScript } from './build/load-typescript.mjs';

const file = join(dirname(fileURLToPath(import.meta.url)), '..', '.env.example');
const { VARIABLES } = requireTypeScript(import.meta.url)('../src/platform/config');

const WIDTH = 110;
const HEADER = [
  'The environment variables of Pressline, with their defaults. docs/operation/configuration.md names those for each purpose.',
  'Pressline does not read this file: copy it to .env, remove the # before the variables that you set, and pass it to the process:',
  '`node --env-file=.env dist/cli/main.js start`, or env_file in a Compose file.',
];

/** Returns the lines of a comment, broken between words. */
function comment(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length < WIDTH) lines[lines.length - 1] = line;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`);
}

/** Returns the text of a default that is a value, and nothing for a default that only describes one. */
function defaultOf({ schema, fallback }) {
  const [unset, set] = [undefined, fallback].map((value) => schema.safeParse(value));
  return set.success && isDeepStrictEqual(unset.data, set.data) ? fallback : '';
}

const sections = Object.entries(VARIABLES).map(([name, variable]) => {
  const value = defaultOf(variable);
  const doc = value === '' ? `${variable.doc} Default: ${variable.fallback}.` : variable.doc;
  return [...comment(doc), `#${name}=${value}`].join('\n');
});
const text = `${[HEADER.map((line) => `# ${line}`).join('\n'), ...sections].join('\n\n')}\n`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('.env.example differs from src/platform/config.ts: run "npm run env-example"');
  process.exitCode = 1;
}
