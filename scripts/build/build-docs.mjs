/**
 * Builds the documentation site, and checks that its links lead to files and headings of it.
 *
 *   npm run docs                  into dist/guide, which the API serves at /guide
 *   npm run docs -- --versioned   into out/docs/<version>, for a host that keeps several versions
 *
 * The generator is installed from its own lock file, tools/docs/package-lock.json: nothing else needs it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dist, filesBelow, root } from './build-once.mjs';

const tool = join(root, 'tools', 'docs');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const versioned = process.argv.includes('--versioned');
const out = versioned ? join(root, 'out', 'docs', version) : join(dist, 'guide');
const base = versioned ? `/${version}/` : '/guide/';
const fresh = `${out}.${process.pid}`;

/** Returns what is wrong with the links of the built pages. */
function brokenLinks() {
  const pages = filesBelow(fresh, '.html').map((file) => [file, readFileSync(file, 'utf8')]);
  const ids = new Map(pages.map(([file, html]) => [file, new Set(html.match(/(?<=\sid=")[^"]+/g))]));
  return pages.flatMap(([page, html]) =>
    [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].flatMap(([, link]) => {
      const { pathname, hash, origin } = new URL(link, `http://site${base}${page.slice(fresh.length + 1)}`);
      if (origin !== 'http://site') return [];
      const path = decodeURI(pathname);
      const file = join(fresh, path.slice(base.length), path.endsWith('/') ? 'index.html' : '');
      const anchor = decodeURIComponent(hash.slice(1));
      const isRight =
        path.startsWith(base) && existsSync(file) && (!anchor || !ids.has(file) || ids.get(file).has(anchor));
      return isRight ? [] : [`${page.slice(fresh.length + 1)}: ${link}`];
    }),
  );
}

if (!existsSync(join(tool, 'node_modules')))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: tool,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
execFileSync(process.execPath, [join(tool, 'node_modules/vitepress/bin/vitepress.js'), 'build', tool], {
  env: { ...process.env, DOCS_BASE: base, DOCS_OUT: fresh },
  stdio: 'inherit',
});
const broken = brokenLinks();
if (broken.length > 0) {
  console.error(`Links of the site that lead nowhere:\n${broken.join('\n')}`);
  rmSync(fresh, { recursive: true });
  process.exitCode = 1;
} else {
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
  console.log(`The documentation is in ${out}`);
}
