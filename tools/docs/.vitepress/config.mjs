import { cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json'));
const navigation = JSON.parse(read('tools/docs/navigation.json'));

/** Returns the pages of an entry of the navigation: one page, or those of a folder. */
const pagesOf = (entry) => (entry.endsWith('/') ? globSync(`${entry}*.md`, { cwd: root }).sort() : [entry]);
const pages = [
  'README.md',
  ...Object.values(navigation).flatMap((kinds) => Object.values(kinds).flat().flatMap(pagesOf)),
];
const titleOf = (page) => /^# (.+)$/m.exec(read(page))[1].replaceAll('`', '');
/** Files that pages link to and that are no pages, such as programs. The site has copies of them. */
const linkedFiles = new Set();

/** Returns the anchor that GitHub gives a heading, so that one link works in both places. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Points links between files of the repository to pages and copies of the site. */
function linksOfSite(markdown) {
  markdown.core.ruler.push('links-of-site', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^(\w+:|#|\/)/.test(href)) continue;
      const [path, anchor] = href.split('#');
      const file = join(dirname(env.realPath ?? env.path), path);
      const target = relative(root, file);
      if (!existsSync(file)) throw new Error(`${env.path} links to ${href}, which does not exist`);
      if (pages.includes(target))
        token.attrSet('href', `/${target === 'README.md' ? '' : target}${anchor ? `#${anchor}` : ''}`);
      else {
        linkedFiles.add(target);
        token.attrSet('href', `${base}${target}`);
        token.attrSet('target', '_self');
      }
    }
  });
}

/** Adds .env.example to the page that leads to it: the site serves no file whose name begins with a period. */
function variablesOfSite(markdown) {
  markdown.core.ruler.before('normalize', 'variables-of-site', (state) => {
    if (!state.src.includes('(../../.env.example)')) return;
    const variables = ['## Variables', '```sh', read('.env.example'), '```'].join('\n\n');
    state.src = `${state.src.replaceAll('(../../.env.example)', '(#variables)')}\n\n${variables}`;
  });
}

const base = process.env.DOCS_BASE;

export default {
  title: `Pressline ${version}`,
  description: 'A workflow-orchestrated print fulfillment engine',
  srcDir: root,
  // Folders without pages, and pages that are about their folder only.
  srcExclude: ['{node_modules,dist,out,coverage,tools,test,.*}/**', '**/node_modules/**'],
  rewrites: { 'README.md': 'index.md' },
  outDir: process.env.DOCS_OUT,
  cacheDir: join(root, 'tools/docs/node_modules/.cache'),
  base,
  // Texts of the site's data are a script of their own, so that every page has the same inline scripts.
  metaChunk: true,
  // A line that begins with `<command>` is text. The pages have no HTML.
  markdown: {
    config: (markdown) => {
      linksOfSite(markdown);
      variablesOfSite(markdown);
    },
    anchor: { slugify },
    html: false,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: Object.entries(navigation).map(([reader, kinds]) => ({
      text: reader,
      items: Object.entries(kinds).map(([kind, files]) => ({
        text: kind,
        collapsed: true,
        items: files.flatMap(pagesOf).map((file) => ({ text: titleOf(file), link: `/${file}` })),
      })),
    })),
  },
  buildEnd({ outDir }) {
    for (const file of linkedFiles) {
      mkdirSync(dirname(join(outDir, file)), { recursive: true });
      cpSync(join(root, file), join(outDir, file), { recursive: true });
    }
  },
};
