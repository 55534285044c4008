/**
 * Validates electronic invoices by the official rules: Peppol BIS Billing 3.0 and EN 16931 (phive), PDF/A-3b (veraPDF).
 *
 *   node tools/e-invoices/validate.mjs ubl-invoice=a.xml ubl-credit-note=b.xml cii=c.xml pdf=d.pdf
 *
 * Needs Java 17 or later and Maven, which gets the rules (50 MB) at the first run. Exits with 1 for invalid files, and with 2
 * where a program is missing.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cache = resolve(here, '../../node_modules/.cache/pressline');

for (const program of ['java', 'mvn']) {
  if (spawnSync(program, ['-version']).status === 0) continue;
  process.stderr.write(`${program} is missing: electronic invoices are not validated\n`);
  process.exit(2);
}

// What Maven prints is no finding.
const run = (program, args, out = 'inherit') => {
  const { status, error } = spawnSync(program, args, { stdio: ['inherit', out, 'inherit'] });
  if (error) throw error;
  return status ?? 1;
};

/** Runs a validator. The two have libraries of their own: veraPDF needs an older JAXB than phive. */
function validate(name, files) {
  if (files.length === 0) return 0;
  const classpath = join(cache, `e-invoices-${name}.classpath`);
  const pom = join(here, name, 'pom.xml');
  if ((statSync(classpath, { throwIfNoEntry: false })?.mtimeMs ?? 0) < statSync(pom).mtimeMs) {
    mkdirSync(cache, { recursive: true });
    const got = run(
      'mvn',
      ['-q', '-B', '-Dstyle.color=never', '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${classpath}`],
      2,
    );
    if (got !== 0) process.exit(2);
  }
  return run('java', ['-cp', readFileSync(classpath, 'utf8'), join(here, name, 'Validate.java'), ...files]);
}

const [pdfs, xmls] = [true, false].map((isPdf) =>
  process.argv.slice(2).filter((argument) => argument.startsWith('pdf=') === isPdf),
);
const statuses = [
  validate(
    'pdf',
    pdfs.map((argument) => argument.slice('pdf='.length)),
  ),
  validate('xml', xmls),
];
process.exit(Math.max(...statuses));
