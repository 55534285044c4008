/**
 * Stores the OpenAPI document of this source tree as the released one, which a test compares later documents with.
 *
 *   npm run release -- openapi      (a step of docs/development/releases.md)
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { openApiDocument } from '../build/openapi.mjs';

const file = join(dirname(fileURLToPath(import.meta.url)), '../../test/api/http/openapi/released-openapi.json.br');

/** Descriptions and examples of bodies do not matter to the comparison. */
const text = JSON.stringify(openApiDocument(), (key, value) => {
  if ((key === 'description' || key === 'summary') && typeof value === 'string') return undefined;
  return value?.schema && 'example' in value ? { schema: value.schema } : value;
});
const packed = brotliCompressSync(text);
writeFileSync(file, packed);
console.log(`${file}: ${Math.round(packed.length / 1000)} kB`);
