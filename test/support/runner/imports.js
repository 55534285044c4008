const { existsSync, readFileSync } = require('node:fs');
const { dirname, join, relative, sep } = require('node:path');

const ROOT = join(__dirname, '../../..');
const isTest = (path) => relative(ROOT, path).split(sep).includes('test');
const direct = new Map();

/** Returns the project's files that a file imports. */
function importsOf(file) {
  if (!direct.has(file)) {
    const specifiers = readFileSync(file, 'utf8').matchAll(/^(?!import type ).*?\b(?:from|import) '(\.[^']*)';$/gm);
    const paths = Array.from(specifiers, ([, specifier]) => join(dirname(file), specifier));
    direct.set(file, paths.map((path) => [`${path}.ts`, join(path, 'index.ts')].find(existsSync)).filter(Boolean));
  }
  return direct.get(file);
}

/** Returns the files that a test file imports, directly or by other files of tests, as paths from the project's root. */
exports.importsOfTest = function importsOfTest(testFile) {
  const seen = new Set();
  const follow = (file) => {
    for (const next of importsOf(file)) {
      if (seen.has(next)) continue;
      seen.add(next);
      if (isTest(next)) follow(next);
    }
  };
  follow(testFile);
  return new Set([...seen].map((path) => relative(ROOT, path).replaceAll(sep, '/')));
};
