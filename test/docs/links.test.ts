import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

const root = projectRoot();
const documents = [
  'README.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'client/README.md',
  'examples/print-partner/README.md',
  'patches/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
];

/** Returns the anchor that a heading has on the usual Markdown hosts. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

function anchorsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
}

test.each(documents)('every link of %s leads to a file and to a heading', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const broken: string[] = [];
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(target!)) continue;
    const [path, anchor] = target!.split('#');
    const file = path === '' ? document : join(dirname(document), path!);
    if (!existsSync(join(root, file))) broken.push(target!);
    else if (anchor !== undefined && !anchorsOf(file).includes(anchor)) broken.push(target!);
  }
  expect(broken).toEqual([]);
});

test.each(documents)('every path of the repository that %s names exists', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const named = text.matchAll(
    /`((?:api|activities|bench|cli|client|packages|sandbox|scripts|src|test|workflows)\/[\w./-]+)`/g,
  );
  // SECURITY.md names tests without their ending; document.test.ts checks them.
  const paths = [...named].map(([, path]) => path!).filter((path) => document !== 'SECURITY.md' || path.includes('.'));
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test.each(documents)('the lines of %s have at most 120 characters', (document) => {
  const text = readFileSync(join(root, document), 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '');
  // A row of a table is one line, and a heading too. A long link cannot be wrapped.
  const long = text
    .split('\n')
    .filter((line) => !/^\s*[|#]/.test(line) && [...line].length > 120 && /\S \S/.test(line.slice(0, 120)));
  expect(long).toEqual([]);
});

test('the navigation of the documentation site has every document once, and no other file', () => {
  const navigation: Record<string, Record<string, string[]>> = JSON.parse(
    readFileSync(join(root, 'tools/docs/navigation.json'), 'utf8'),
  );
  const listed = Object.values(navigation)
    .flatMap((kinds) => Object.values(kinds).flat())
    // A folder stands for its documents.
    .flatMap((entry) => (entry.endsWith('/') ? documents.filter((document) => document.startsWith(entry)) : [entry]));
  // The README is the first page.
  const expected = documents.filter((document) => document !== 'README.md');
  expect(listed.sort()).toEqual(expected.sort());
});

test('the list of decisions has every decision, and each is numbered and dated', () => {
  const folder = 'docs/decisions/';
  const names = documents.filter((document) => document.startsWith(folder)).map((path) => path.slice(folder.length));
  const decisions = names.filter((name) => name !== 'README.md').sort();
  const list = readFileSync(join(root, folder, 'README.md'), 'utf8');
  expect([...list.matchAll(/\]\((\d{3}-[\w-]+\.md)\)/g)].map(([, name]) => name)).toEqual(decisions);
  decisions.forEach((name, at) => {
    const text = readFileSync(join(root, folder, name), 'utf8');
    expect([name, text]).toEqual([name, expect.stringMatching(`^# ${at + 1}\\. .+\\n\\n\\d{4}-\\d\\d-\\d\\d`)]);
  });
});

test('the first hour of CONTRIBUTING.md has ten files, and tells their lines to a fifth', () => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([\w./-]+\.ts)` \| (\d+) \|/gm)].map(([, file, lines]) => ({
    file: file!,
    lines: Number(lines),
  }));
  expect(rows).toHaveLength(10);
  const wrong = rows.filter(({ file, lines }) => {
    const present = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    return Math.abs(present - lines) > present / 5;
  });
  expect(wrong).toEqual([]);
});
