import type { SearchPosition } from '../../src/orders/reading/search';
import { Refusal } from '../../src/platform/errors';
import { isUuid } from '../../src/platform/ids';

const TIME = /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

/** Whether text is a time that there is: the 30th of February comes back from Date as the 1st of March. */
function isTime(text: string): boolean {
  if (!TIME.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19);
}

/** Where a page ended, as clients carry it to the next request: base64url of `<createdAt> <id>`. */
export function encodeCursor({ createdAt, id }: SearchPosition): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url');
}

/** @throws Refusal `VALIDATION_ERROR` at `cursor` for text that no page ended with */
export function decodeCursor(cursor: string): SearchPosition {
  const [createdAt = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (isTime(createdAt) && isUuid(id) && rest.length === 0) return { createdAt, id };
  throw new Refusal('VALIDATION_ERROR', {
    errors: [{ code: 'VALIDATION_ERROR', message: 'Not a cursor of this list.', reference: 'cursor' }],
  });
}
