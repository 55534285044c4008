import fc from 'fast-check';

/** Odd values that strangers, broken clients and attackers send. */

export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\n',
  '0',
  '-1',
  'null',
  'true',
  'undefined',
  'NaN',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u0000',
  'a\u0000b',
  '\ud83d',
  '\udc00a',
  '😀',
  '👩‍👩‍👧‍👦',
  'e\u0301',
  '\u202eltr',
  '\ufeffbom',
  '\u2028\u2029',
  '\u200b',
  'İı',
  'ﷺ',
  'Z̸̨͔͉͎͙̱a̷l̵g̶o',
  '١٢٣',
  "'; DROP TABLE orders; --",
  '" OR 1=1 --',
  '%',
  '%s%s%n',
  '_%',
  '$1',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template that must not be evaluated
  '${7*7}',
  '{{7*7}}',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '%2e%2e%2f',
  '%00',
  '/etc/passwd',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:127.0.0.1]/',
  'javascript:alert(1)',
  'https://user:pass@files.example/',
  'https://files.example\\@evil.example/',
  '<script>alert(1)</script>',
  '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>',
  'a\r\nX-Injected: yes',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '0000-01-01',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '9999-12-31',
  '2026-01-05T10:00:00',
  '2026-01-05T10:00Z',
  '2026-01-05T10:00:00.123456789123456789Z',
  '1e309',
  '999999999999999999',
  '9223372036854775807',
  '9223372036854775808',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '{',
  '[]',
  ',,,,',
  'a,b,,c',
  '*',
  'EUR',
  'eur',
  'XXX',
  'DE',
  'AQ',
];

const ODD_NUMBERS: readonly number[] = [
  0, -0, -1, 1, 0.1, 1.005, 1e-7, 5e-324, 2_147_483_647, 2_147_483_648, -2_147_483_649, 4_294_967_296,
  9_007_199_254_740_991, 9_007_199_254_740_992, 9.3e18, 1e21, 1.797e308,
];

const longText = fc
  .tuple(
    fc.constantFrom('a', ' ', '0', '%', '-', '\\', '"', 'é', '😀', '../', '.', '@', ' \t'),
    fc.constantFrom(101, 256, 2_049, 20_000),
  )
  .map(([piece, times]) => piece.repeat(times));

export const oddText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: longText },
);

export const oddNumber = fc.oneof(
  fc.constantFrom(...ODD_NUMBERS),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

function nested(levels: number, inner: unknown, asArray: boolean): unknown {
  let value = inner;
  for (let level = 0; level < levels; level += 1) value = asArray ? [value] : { a: value };
  return value;
}

const deep = fc
  .tuple(fc.constantFrom(3, 40, 64, 70, 200), fc.boolean())
  .map(([levels, asArray]) => nested(levels, 'x', asArray));

/** Any JSON value, usually of the wrong kind. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: oddText },
  { weight: 3, arbitrary: oddNumber },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: null }) },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(10, 300, 2_000).map((length) => new Array(length).fill('x')) },
);

/** Member names that no schema has, or that every object inherits. */
export const oddName = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'length',
  'toJSON',
  'then',
  '',
  ' ',
  'a.b',
  'a[0]',
  '$ref',
  'id',
  'clientId',
  'role',
  'status',
  'createdAt',
  '😀',
  '\u0000',
  '\ud83d',
);
