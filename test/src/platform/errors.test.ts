import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, Refusal } from '../../../src/platform/errors';
import { projectRoot } from '../../../src/platform/project-root';

const document = readFileSync(join(projectRoot(), 'docs/errors.md'), 'utf8');

test('every code is documented with its status and message, and every documented code exists', () => {
  const rows = [...document.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| ([^|]+) \|/gm)];
  const documented = rows.map(([, code, status, message]) => ({
    code,
    status: Number(status),
    message: message!.trim(),
  }));
  const inTable = Object.entries(ERROR_CODES).map(([code, { status, message }]) => ({
    code,
    status,
    message,
  }));
  const byCode = (a: { code?: string | undefined }, b: { code?: string | undefined }) => (a.code! < b.code! ? -1 : 1);
  expect(documented.sort(byCode)).toEqual(inTable.sort(byCode));
});

test('every field error code is documented', () => {
  for (const code of ['MISSING_FIELD_ERROR', 'IS_BLANK_ERROR', 'NO_SUCH_CHOICE_ERROR', 'VALIDATION_ERROR']) {
    expect(document).toContain(`| \`${code}\` |`);
  }
});

test('a refusal has the status and message of its code', () => {
  expect(new Refusal('NOT_FOUND')).toMatchObject({ status: 404, message: 'The resource does not exist.' });
  expect(new Refusal('NOT_FOUND', { message: 'No such order.' }).message).toBe('No such order.');
});
