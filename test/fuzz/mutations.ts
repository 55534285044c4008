import fc from 'fast-check';
import { oddName, oddValue } from './odd-values';

/** One change to a JSON value. `place` selects the member, modulo the number of members. */
export interface TreeChange {
  readonly kind: 'remove' | 'replace' | 'add' | 'repeat' | 'wrap' | 'lengthen';
  readonly place: number;
  readonly name: string;
  readonly value: unknown;
  readonly times: number;
}

export const treeChange: fc.Arbitrary<TreeChange> = fc.record({
  kind: fc.constantFrom<TreeChange['kind']>(
    'remove',
    'replace',
    'replace',
    'replace',
    'add',
    'repeat',
    'wrap',
    'lengthen',
  ),
  place: fc.nat(10_000),
  name: oddName,
  value: oddValue,
  times: fc.constantFrom(1, 2, 21, 101, 600),
});

type Container = Record<string, unknown> | unknown[];

/** Returns every member of a value with its container. */
function members(root: unknown): { holder: Container; key: string }[] {
  const found: { holder: Container; key: string }[] = [];
  const look = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      found.push({ holder: value as Container, key });
      look((value as Record<string, unknown>)[key]);
    }
  };
  look(root);
  return found;
}

/** Sets a member as JSON.parse does, including `__proto__`. */
function setMember(holder: Container, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Longer than every limit of a body, so that a longer text would tell nothing new. */
const LONGEST_TEXT = 2_000_000;

function repeated(text: string, times: number): string {
  return text.repeat(Math.min(times, Math.ceil(LONGEST_TEXT / Math.max(1, text.length))));
}

/** Returns a changed copy of a JSON value. */
export function changed(root: unknown, changes: readonly TreeChange[]): unknown {
  const box = { root: structuredClone(root) };
  for (const { kind, place, name, value, times } of changes) {
    const all = members(box);
    const { holder, key } = all[place % all.length]!;
    const present = (holder as Record<string, unknown>)[key];
    const copy = structuredClone(value);
    if (kind === 'replace') setMember(holder, key, copy);
    else if (kind === 'wrap') setMember(holder, key, place % 2 === 0 ? [present] : { [key]: present });
    else if (kind === 'lengthen') {
      setMember(holder, key, typeof present === 'string' ? repeated(present, times) : JSON.stringify(present));
    } else if (kind === 'remove') {
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else if (holder !== box) delete holder[key];
    } else if (kind === 'repeat') {
      if (Array.isArray(present) && present.length > 0) {
        // A repeated list must not outgrow the longest text. Its elements are copies, so that a later change of one is
        // not a change of all.
        const most = Math.ceil((LONGEST_TEXT * present.length) / JSON.stringify(present).length);
        const repeats = Array.from({ length: times }, () => present).flat();
        const kept = repeats.slice(0, Math.max(present.length, Math.min(5_000, most)));
        setMember(
          holder,
          key,
          kept.map((element) => structuredClone(element)),
        );
      }
    } else if (typeof present === 'object' && present !== null) {
      setMember(present as Container, Array.isArray(present) ? String(present.length) : name, copy);
    }
  }
  return box.root;
}

/** One change to the text of a body that no serializer would write. */
export interface TextChange {
  readonly kind: 'cut' | 'insert' | 'twice' | 'again' | 'pollute' | 'number' | 'instead' | 'pad' | 'bytes';
  readonly place: number;
  readonly text: string;
}

const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);
const DEEP_OBJECTS = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;

export const textChange: fc.Arbitrary<TextChange> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom<TextChange['kind']>('cut', 'twice', 'pollute', 'bytes'),
      place: fc.nat(20_000),
      text: fc.constantFrom(
        '"__proto__":{"polluted":true},',
        '"constructor":{"prototype":{"polluted":true}},',
        '"__proto__":null,',
        '"hasOwnProperty":1,"toString":1,',
        '"toJSON":{},"then":{},',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom<TextChange['kind']>('again'),
      place: fc.nat(20_000),
      text: fc.constantFrom('null', '""', '0', '-1', '[]', '{}', '"x"', '"a\\u0000b"', '1e400', 'true'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom<TextChange['kind']>('insert'),
      place: fc.nat(20_000),
      text: fc.constantFrom(
        ',',
        '}',
        ']',
        '"',
        '\\u0000',
        '\\ud83d',
        '\\u00',
        '/*',
        '//',
        '\u0000',
        '\ufeff',
        "'",
        ' ',
        '\\',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom<TextChange['kind']>('number'),
      place: fc.nat(20_000),
      text: fc.constantFrom(
        '1e400',
        '-1e400',
        'NaN',
        'Infinity',
        '-0',
        '0x10',
        '01',
        '1.',
        '.5',
        '123456789012345678901234567890',
        `0.${'1'.repeat(5_000)}`,
        '9'.repeat(5_000),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom<TextChange['kind']>('instead'),
      place: fc.constant(0),
      text: fc.constantFrom(
        '',
        ' ',
        'null',
        'true',
        '0',
        '""',
        '[]',
        '{}',
        '[{}]',
        '[null]',
        '"text"',
        '{"":""}',
        'a=b&c=d',
        '<xml/>',
        DEEP,
        DEEP_OBJECTS,
        `"${'a'.repeat(900_000)}"`,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom<TextChange['kind']>('pad'),
      place: fc.constantFrom(1_000, 60_000, 1_048_576),
      text: fc.constantFrom(' ', '\n'),
    }),
  },
);

/** Repeats a member with another value, before the first one or at the end. Parsers differ in which one they use. */
function withMemberAgain(text: string, at: number, value: string): string {
  const members = [...text.matchAll(/(?<=[{,])"(?:[^"\\]|\\.)*":/g)];
  if (members.length === 0) return text;
  const { index, 0: name } = members[at % members.length]!;
  if (at % 2 === 0) return `${text.slice(0, index)}${name}${value},${text.slice(index)}`;
  return text.replace(/^\{(.*)\}$/s, `{$1,${name.replaceAll('$', '$$$$')}${value}}`);
}

/** Returns the bytes of a body with a changed text. */
export function changedText(body: string, changes: readonly TextChange[]): Buffer {
  let text = body;
  let tail = Buffer.alloc(0);
  for (const { kind, place, text: given } of changes) {
    const at = text.length === 0 ? 0 : place % text.length;
    if (kind === 'cut') text = text.slice(0, at);
    else if (kind === 'insert') text = text.slice(0, at) + given + text.slice(at);
    else if (kind === 'instead') text = given;
    else if (kind === 'pad') text += given.repeat(place);
    else if (kind === 'bytes') tail = Buffer.from([0xc3, 0x28, 0xff, 0x80]);
    else if (kind === 'number') text = text.replace(/(?<=:)-?\d+(?:\.\d+)?/g, given);
    else if (kind === 'twice') text = text.replace(/^\{(.*)\}$/s, '{$1,$1}');
    else if (kind === 'again') text = withMemberAgain(text, at, given);
    else {
      const open = text.indexOf('{', at) === -1 ? text.indexOf('{') : text.indexOf('{', at);
      if (open !== -1) text = text.slice(0, open + 1) + given + text.slice(open + 1);
    }
  }
  const bytes = Buffer.from(text, 'utf8');
  if (tail.length === 0) return bytes;
  const middle = bytes.length >> 1;
  return Buffer.concat([bytes.subarray(0, middle), tail, bytes.subarray(middle)]);
}
