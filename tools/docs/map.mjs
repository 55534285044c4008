/**
 * Draws the map of ARCHITECTURE.md, docs/images/map.svg, from the imports that dependency-cruiser finds. A box is a folder; a line
 * leads from a folder down to one that it imports. Lines that follow from others are left out. With --check, changes nothing and
 * fails when the picture is not current.
 *
 *   node tools/docs/map.mjs [--check]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const file = join(root, 'docs/images/map.svg');
const TOP = [
  ...['cli', 'api', 'workflows', 'activities', 'packages/embedded-servers', 'packages/file-reader'],
  ...['kits/partner-kit', 'sandbox', 'client', 'console'],
].filter((name) => existsSync(join(root, name)));
const FOLDER = `^(?:${TOP.join('|')}|src/orders/[^/]+|src/[^/]+)`;
const [BOX_WIDTH, BOX_HEIGHT, GAP, ROW] = [136, 26, 12, 62];

/** Returns the folders that each folder imports. */
async function imports() {
  const { output } = await cruise(['src', ...TOP], {
    ...(await extractDepcruiseOptions(join(root, '.dependency-cruiser.mjs'))),
    baseDir: root,
    collapse: `${FOLDER}(?=/)`,
    validate: false,
  });
  const isFolder = new RegExp(`${FOLDER}$`);
  const modules = output.modules.filter(({ source }) => isFolder.test(source));
  return new Map(
    modules.map(({ source, dependencies }) => [
      source,
      new Set(dependencies.map(({ resolved }) => resolved).filter((to) => to !== source && isFolder.test(to))),
    ]),
  );
}

/** Returns, for each folder, all folders that can be reached from it. */
function reachable(graph) {
  const visit = (from, seen) => {
    for (const to of graph.get(from) ?? []) if (!seen.has(to)) visit(to, seen.add(to));
    return seen;
  };
  return new Map([...graph.keys()].map((from) => [from, visit(from, new Set())]));
}

async function draw() {
  const graph = await imports();
  const reach = reachable(graph);
  /** True when two folders import each other. They stand in one row. */
  const isCircle = (a, b) => reach.get(a).has(b) && reach.get(b).has(a);
  const below = (from) => [...graph.get(from)].filter((to) => !isCircle(from, to));
  const circle = (from) => [from, ...[...reach.get(from)].filter((to) => isCircle(from, to))];
  const rows = new Map();
  const rowOf = (from) => {
    if (!rows.has(from)) {
      const under = circle(from)
        .flatMap(below)
        .filter((to) => !isCircle(from, to));
      rows.set(from, Math.max(-1, ...under.map(rowOf)) + 1);
    }
    return rows.get(from);
  };
  const names = [...graph.keys()].sort();
  const height = Math.max(...names.map(rowOf)) + 1;
  const byRow = Array.from({ length: height }, (_, row) => names.filter((name) => rowOf(name) === row));
  const width = Math.max(...byRow.map((row) => row.length)) * (BOX_WIDTH + GAP) + GAP;
  const place = new Map(
    byRow.flatMap((row, at) => {
      const left = (width - row.length * (BOX_WIDTH + GAP) + GAP) / 2;
      const y = (height - 1 - at) * ROW + GAP;
      return row.map((name, index) => [name, { x: left + index * (BOX_WIDTH + GAP), y }]);
    }),
  );
  const lines = names.flatMap((from) => {
    const to = below(from);
    return to
      .filter((name) => !to.some((other) => other !== name && reach.get(other).has(name) && !isCircle(other, name)))
      .map((name) => [place.get(from), place.get(name)]);
  });
  const middle = BOX_WIDTH / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height * ROW}" font-family="sans-serif" font-size="12">
<title>Folders of the sources and their imports</title>
<rect width="100%" height="100%" fill="#fff"/>
<g stroke="#9aa5b1">
${lines.map(([a, b]) => `<line x1="${a.x + middle}" y1="${a.y + BOX_HEIGHT}" x2="${b.x + middle}" y2="${b.y}"/>`).join('\n')}
</g>
<g text-anchor="middle">
${names
  .map((name) => {
    const { x, y } = place.get(name);
    const fill = name.startsWith('src/orders') ? '#fdf0d5' : name.startsWith('src/') ? '#e3eefa' : '#e6f4e6';
    return `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="4" fill="${fill}" stroke="#52606d"/><text x="${x + middle}" y="${y + 17}">${name.replace(/^(src|packages)\//, '')}</text>`;
  })
  .join('\n')}
</g>
</svg>
`;
}

const picture = await draw();
if (!process.argv.includes('--check')) writeFileSync(file, picture);
else if (readFileSync(file, 'utf8') !== picture) {
  console.error('docs/images/map.svg differs from the imports: run "node tools/docs/map.mjs"');
  process.exitCode = 1;
}
