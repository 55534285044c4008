/**
 * Checks the Helm chart without a cluster: helm lint, helm template with the smallest values and with ci/values.yaml, and the
 * schemas of the Kubernetes API for every rendered object.
 *
 *   npm run check -- helm
 *
 * Uses `helm` when it is installed, else builds Helm from its Go module (about five minutes, once per user). The schemas come with the
 * Python package kubernetes-validate, which is installed into a virtual environment in the cache folder of the user.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { goTool, programOnPath } from '../external/go-tool.mjs';
import { pythonPackage } from '../external/python-package.mjs';

const VALIDATOR = 'kubernetes-validate==1.37.0';
/** The oldest and the newest version of Kubernetes that the validator has schemas of. */
const KUBERNETES = ['1.34', '1.37'];
/** Kinds of the Prometheus operator. The validator has no schemas of them; test/deploy/chart.test.ts checks the rules. */
const WITHOUT_SCHEMA = ['monitoring.coreos.com/v1'];

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const chart = join(root, 'deploy', 'helm', 'pressline');
const folder = mkdtempSync(join(tmpdir(), 'pressline-helm-'));
let failures = 0;

const report = (ok, line) => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${line}`);
  if (!ok) failures += 1;
};

/** Runs a program. Prints its error output when it fails and was expected to succeed. */
function run(command, args) {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return { ok: status === 0, output: `${stdout}${stderr}`.trim(), stdout };
}

/** Validates rendered objects, each in a file that is named after it. */
function validate(validator, name, yaml) {
  const objects = parseAllDocuments(yaml)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
  const known = objects.filter(({ apiVersion }) => !WITHOUT_SCHEMA.includes(apiVersion));
  const files = known.map((object) => {
    const path = join(folder, `${name}-${object.kind}-${object.metadata.name}.yaml`);
    // JSON is YAML.
    writeFileSync(path, JSON.stringify(object));
    return path;
  });
  for (const version of KUBERNETES) {
    const { ok, output } = run(validator, ['--strict', '-k', version, ...files]);
    report(ok, `${name}: ${known.length} objects are valid in Kubernetes ${version}`);
    if (!ok) console.log(output);
  }
  const kinds = {};
  for (const { kind } of objects) kinds[kind] = (kinds[kind] ?? 0) + 1;
  console.log(
    `     ${Object.entries(kinds)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ')}`,
  );
  const skipped = objects.filter((object) => !known.includes(object)).map(({ kind }) => kind);
  if (skipped.length > 0) console.log(`     without a schema: ${skipped.join(', ')}`);
}

try {
  const helm = programOnPath('helm') ?? goTool('helm');
  console.log(run(helm, ['version', '--short']).output);
  const ci = ['--values', join(chart, 'ci', 'values.yaml')];
  const smallest = [
    'config.PUBLIC_URL=https://pressline.example.com',
    'config.TEMPORAL_ADDRESS=temporal:7233',
    'config.S3_BUCKET=pressline',
    'secret.name=pressline',
    'migrate.secretName=pressline-owner',
  ].flatMap((value) => ['--set', value]);

  for (const [name, values] of [
    ['smallest values', smallest],
    ['ci/values.yaml', ci],
  ]) {
    const { ok, output } = run(helm, ['lint', '--strict', chart, ...values]);
    report(ok, `helm lint --strict with ${name}`);
    if (!ok) console.log(output);
  }

  const validator = join(pythonPackage(VALIDATOR), 'bin', 'kubernetes-validate');
  for (const [name, values] of [
    ['smallest', smallest],
    ['ci', ci],
  ]) {
    const { ok, output, stdout } = run(helm, ['template', 'shop', chart, '--include-crds', ...values]);
    report(ok, `helm template with ${name} values`);
    if (ok) validate(validator, name, stdout);
    else console.log(output);
  }

  for (const [missing, message] of [
    ['config.PUBLIC_URL', 'config.PUBLIC_URL must be set'],
    ['secret.name', 'secret.name must name a Secret'],
    ['migrate.secretName', 'migrate.secretName must name a Secret'],
  ]) {
    const { ok, output } = run(helm, ['template', 'shop', chart, ...smallest, '--set', `${missing}=`]);
    report(!ok && output.includes(message), `without ${missing}: "${message}"`);
  }
  const { ok, output } = run(helm, ['template', 'shop', chart, ...smallest, '--set', 'worker.replica=3']);
  report(!ok && output.includes('replica'), 'a misspelt value is refused');
} catch (error) {
  report(false, error.message);
}
rmSync(folder, { recursive: true, force: true });
console.log(failures === 0 ? 'The chart is valid.' : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;
