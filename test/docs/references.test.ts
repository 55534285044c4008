import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../api/http/openapi-document';
import { allRoutes } from '../../api/routes';
import { projectRoot } from '../../src/platform/project-root';

/** Comments refer to operations, schemas, files and pages that the repository holds. */

const root = projectRoot();
const FOLDERS = [
  'activities',
  'api',
  'bench',
  'cli',
  'client',
  'console',
  'kits',
  'packages',
  'sandbox',
  'scripts',
  'src',
  'test',
  'workflows',
];
const SOURCE = /\.([cm]?[jt]s|tsx|sql)$/;

const listed = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => !path.includes('/node_modules/'));
const held = [...FOLDERS, 'docs', 'deploy', 'patches', 'tools'].flatMap(listed);
const names = new Set([...held, ...readdirSync(root)].map((path) => path.split('/').at(-1)!));
const sources = held.filter(
  (path) => SOURCE.test(path) && path !== 'client/operations.ts' && !path.startsWith('test/docs/references'),
);

/** Returns the comments of a file, each with the space between its lines removed. */
function commentsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const comments = path.endsWith('.sql')
    ? text.matchAll(/(?:^\s*-- .*\n)+/gm)
    : text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^\s*\/\/ .*\n)+/gm);
  return [...comments].map(([comment]) => comment.replace(/\n\s*(\*|\/\/|--)? ?/g, ' '));
}
const comments = sources.flatMap((path) => commentsOf(path).map((text) => ({ path, text })));

/** Returns `path: reference` for each reference that `isKnown` does not accept. */
const unknown = (pattern: RegExp, isKnown: (reference: string, path: string) => boolean) =>
  comments.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .flatMap(([, reference]) => reference!.split(/`, `|, `|` and `/))
      .map((reference) => reference.replaceAll('`', ''))
      .filter((reference) => !isKnown(reference, path))
      .map((reference) => `${path}: ${reference}`),
  );

/** Describing routes calls none of their dependencies. */
const hollow: never = new Proxy((() => undefined) as never, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : hollow),
  apply: () => hollow,
});
const { paths, components } = openApiDocument(allRoutes(hollow), 'http://localhost') as unknown as {
  paths: Record<string, Record<string, { operationId?: string }>>;
  components: { schemas: Record<string, object> };
};

test('every operation that a comment names is in the OpenAPI document', () => {
  const operations = new Set(
    Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId)),
  );
  expect(unknown(/\boperations? (`\w+`(?:(?:,| and) `\w+`)*)/g, (name) => operations.has(name))).toEqual([]);
});

test('every schema that a comment names is in the OpenAPI document', () => {
  expect(unknown(/\bschemas? (`[A-Z]\w+`(?:(?:,| and) `[A-Z]\w+`)*)/g, (name) => name in components.schemas)).toEqual(
    [],
  );
});

test('every path that a comment names exists', () => {
  const pattern = new RegExp(
    `(?<![\\w./-])((?:${FOLDERS.join('|')}|docs|deploy)/[\\w./-]+\\.(?:[cm]?[jt]sx?|sql|md|json|ya?ml))\\b`,
    'g',
  );
  expect(unknown(pattern, (path) => existsSync(join(root, path)))).toEqual([]);
});

test('every file that a comment names without its folder exists', () => {
  expect(unknown(/(?<![\w./-])([a-z][\w-]*\.(?:tsx?|mjs|sql)|[A-Z][\w-]+\.md)\b/g, (name) => names.has(name))).toEqual(
    [],
  );
});

test('no comment quotes a section of a document without naming the file', () => {
  expect(unknown(/\(((?:interface|specification|[A-Z]{4,}),? "[^"]+")/g, () => false)).toEqual([]);
});
