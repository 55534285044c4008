import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../../src/platform/config';
import { projectRoot } from '../../src/platform/project-root';

/** The Dockerfile. `npm run check -- image` runs its steps. */

const root = projectRoot();
const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '');
/** The instructions of the last stage, which is the image. */
const image = text
  .slice(text.lastIndexOf('\nFROM '))
  .split('\n')
  .filter((line) => line !== '');
const of = (name: string) =>
  image.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

test('the image sets only variables that exist', () => {
  const names = [
    ...of('ENV')
      .join(' ')
      .matchAll(/([A-Z_]+)=/g),
  ].map(([, name]) => name!);
  expect(names).toContain('METRICS_PORT');
  expect(names.filter((name) => name !== 'NODE_ENV' && !(name in VARIABLES))).toEqual([]);
});

test('the image runs as the user node, and stops by SIGTERM', () => {
  expect(of('USER')).toEqual(['node']);
  expect(of('STOPSIGNAL')).toEqual(['SIGTERM']);
});

test('the image has the labels of the OCI specification, with the version and revision of its build', () => {
  const labels = Object.fromEntries(
    [
      ...of('LABEL')
        .join(' ')
        .matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g),
    ].map(([, name, value]) => [name, value]),
  );
  expect(labels).toMatchObject({
    title: 'Pressline',
    licenses: 'MIT',
    version: '$VERSION',
    revision: '$REVISION',
  });
  expect(of('ARG').map((line) => line.split('=')[0])).toEqual(['VERSION', 'REVISION']);
});

test('the health check asks the readiness of the metrics listener', () => {
  const [check] = of('HEALTHCHECK');
  const [, ...args] = JSON.parse(/CMD (\[.*\])$/.exec(check!)![1]!) as string[];
  expect(args[1]).toMatch(/http:\/\/127\.0\.0\.1:\$\{process\.env\.METRICS_PORT\}\/readyz/);
});
