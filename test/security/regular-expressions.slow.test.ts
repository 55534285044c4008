import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';
import type { ApiDeps } from '../../api/deps';
import { openApiDocument } from '../../api/http/openapi-document';
import { allRoutes } from '../../api/routes';
import { addressPatterns } from '../../src/platform/domain/address-rules';
import { projectRoot } from '../../src/platform/project-root';

/**
 * Measures every regular expression of the service with hostile texts. Its cost must grow linearly with the text. New
 * expressions are found automatically.
 */

/** Expressions that never process text from outside, with the reason. */
const INSIDE: Readonly<Record<string, string>> = {
  'src/platform/configuration/fields.ts': 'the environment of the process, read once',
  'api/http/openapi-examples.ts': 'its own texts, when the OpenAPI document is made',
};

/** Expressions of data, by the file that compiles them. */
const DATA: Readonly<Record<string, () => readonly string[]>> = {
  'src/platform/domain/address-rules.ts': addressPatterns,
};

interface Found {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

interface Node {
  readonly type?: string;
  readonly pattern?: string;
  readonly flags?: string;
  readonly callee?: { value?: string };
  readonly arguments?: { expression: { type: string; value?: string } }[];
}

/** Returns every literal and every `new RegExp('...')` of a file. */
function expressionsOf(file: string, place: string): Found[] {
  const found: Found[] = [];
  const look = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    if (node.type === 'RegExpLiteral') found.push({ place, source: node.pattern!, flags: node.flags ?? '' });
    if (node.type === 'NewExpression' && node.callee?.value === 'RegExp' && place in DATA) {
      found.push(...DATA[place]!().map((pattern) => ({ place, source: pattern, flags: '' })));
    } else if (node.type === 'NewExpression' && node.callee?.value === 'RegExp') {
      const [source] = node.arguments ?? [];
      // An expression that is built at run time cannot be analysed, so it must be a constant.
      expect([place, source?.expression.type]).toEqual([place, 'StringLiteral']);
      found.push({ place, source: source!.expression.value!, flags: '' });
    }
    for (const member of Object.values(value)) look(member);
  };
  look(parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript' }));
  return found;
}

function allExpressions(): Found[] {
  const root = projectRoot();
  const files = ['src', 'api', 'workflows', 'activities', 'cli', 'client', 'kits', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('test/'))
      .map((name) => join(root, folder, name)),
  );
  return files.flatMap((file) => {
    const place = relative(root, file).replaceAll('\\', '/');
    return place in INSIDE ? [] : expressionsOf(file, place);
  });
}

/** Returns the patterns of the OpenAPI document, including those of zod. */
function documentedPatterns(): Found[] {
  // Describing routes does not call their dependencies.
  const hollow: unknown = new Proxy(() => undefined, {
    get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : hollow),
    apply: () => hollow,
  });
  const patterns = new Set<string>();
  const look = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (name === 'pattern' && typeof member === 'string') patterns.add(member);
      else look(member);
    }
  };
  look(openApiDocument(allRoutes(hollow as ApiDeps), 'http://localhost'));
  return [...patterns].map((source) => ({ place: 'the OpenAPI document', source, flags: '' }));
}

/** Returns one character for each class that an expression may contain, and the characters that it names. */
function alphabet(source: string): string[] {
  const own = [...source.replace(/\\[a-zA-Z]/g, '')].filter((character) => !'\\^$*+?()[]{}|'.includes(character));
  return [...new Set(['a', 'A', '0', ' ', '\t', '\n', '-', '_', '.', '/', ',', ':', '%', '"', '@', 'é', ...own])];
}

/** A text that repeats one or two characters, after an optional matching start, before an end that does not match. */
interface HostileText {
  readonly start: string;
  readonly pump: string;
  readonly end: string;
}

function hostileTexts(source: string): HostileText[] {
  const letters = alphabet(source);
  const pumps = [...letters, ...letters.slice(0, 12).flatMap((a) => letters.slice(0, 12).map((b) => a + b))];
  const literal = /^\^?([\w:/.@-]{1,12})/.exec(source)?.[1] ?? '';
  const starts = [...new Set(['', 'a', '0', literal])];
  return pumps.flatMap((pump) => starts.flatMap((start) => ['', '\u0000', '!'].map((end) => ({ start, pump, end }))));
}

interface Cost {
  readonly ms: number;
  readonly text: HostileText;
}

/**
 * Returns the CPU milliseconds of each text with its pump repeated up to a length, slowest first. The slowest so far counts with the
 * best of three attempts, so that pauses do not matter. Ends at the first text that takes longer than `enoughMs`.
 */
function costs({ source, flags }: Found, texts: readonly HostileText[], length: number, enoughMs: number): Cost[] {
  const expression = new RegExp(source, flags.replace(/[gy]/g, ''));
  const global = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  const time = (text: string) => {
    const before = process.cpuUsage();
    expression.test(text);
    if (flags.includes('g')) text.replace(global, '');
    return process.cpuUsage(before).user / 1_000;
  };
  const measured: Cost[] = [];
  let slowest = 0;
  for (const text of texts) {
    const full = text.start + text.pump.repeat(Math.ceil(length / text.pump.length)) + text.end;
    let ms = time(full);
    for (let again = 0; again < 2 && ms > slowest && ms < enoughMs * 50; again += 1) ms = Math.min(ms, time(full));
    measured.push({ ms, text });
    slowest = Math.max(slowest, ms);
    if (slowest > enoughMs) break;
  }
  return measured.sort((a, b) => b.ms - a.ms);
}

/**
 * Lengths of texts, and the milliseconds that are too long. At the first, exponential cost is 1.7e7 steps (more than 10 ms), which
 * still end, and linear cost a few microseconds: what is not found here may never end at the next. At the last, quadratic cost is
 * 2.6e8 steps (more than 100 ms) and linear cost below 1 ms.
 */
const LIMITS_MS = new Map([
  [24, 3],
  [2_000, 30],
  [16_000, 30],
]);

/** Texts of the last length. Quadratic cost is 4e6 steps at the length before it, far above the linear cost of other texts. */
const SLOWEST_TEXTS = 50;

function isSlow(found: Found): string | undefined {
  let texts = hostileTexts(found.source);
  for (const [length, limitMs] of LIMITS_MS) {
    if (length > 2_000) texts = texts.slice(0, SLOWEST_TEXTS);
    const measured = costs(found, texts, length, limitMs);
    const { ms, text } = measured[0]!;
    if (ms > limitMs) return `${Math.round(ms)} ms for ${length} characters of ${JSON.stringify(text)}`;
    texts = measured.map((cost) => cost.text);
  }
  return undefined;
}

test('the measurement distinguishes good from bad expressions', () => {
  const verdict = (source: string) => isSlow({ place: 'here', source, flags: '' }) !== undefined;
  expect(['^(a+)+$', '^(\\w|\\d)+$', '\\s+$', ',.*x$', '^(a|a)*$'].map(verdict)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(['^a+$', '^[a-z0-9_.-]{1,100}$', '\\S', '^(?:\\d[ .]?){6,14}$'].map(verdict)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('the cost of every expression grows linearly', () => {
  const documented = documentedPatterns();
  expect(documented.length).toBeGreaterThan(10);
  const all = [...allExpressions(), ...documented];
  expect(all.length).toBeGreaterThan(60);
  const once = new Map(all.map((found) => [`/${found.source}/${found.flags}`, found]));
  const slow = [...once.values()].flatMap((found) => {
    const why = isSlow(found);
    return why === undefined ? [] : [`${found.place} /${found.source}/${found.flags}: ${why}`];
  });
  expect(slow).toEqual([]);
});
