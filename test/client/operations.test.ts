import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDeps } from '../../api/deps';
import { openApiDocument } from '../../api/http/openapi';
import { allRoutes } from '../../api/routes';
import { generateOperations, type OpenApiDocument } from '../../client/generate';
import { projectRoot } from '../../src/platform/project-root';

const FILE = join(projectRoot(), 'client/operations.ts');

/** Stands for whatever routes are made with; describing routes calls none of it. */
function hollowDeps(): ApiDeps {
  const hollow: unknown = new Proxy(() => undefined, {
    get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : hollow),
    apply: () => hollow,
  });
  return hollow as ApiDeps;
}

function generated(): string {
  const document = openApiDocument(allRoutes(hollowDeps()), 'http://localhost') as unknown as OpenApiDocument;
  const biome = join(projectRoot(), 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', '--stdin-file-path=client/operations.ts'], {
    input: generateOperations(document),
    encoding: 'utf8',
    cwd: projectRoot(),
  });
}

test('the client’s operations are those of the routes (UPDATE_CLIENT=1 writes them)', () => {
  if (process.env.UPDATE_CLIENT) writeFileSync(FILE, generated());
  expect(readFileSync(FILE, 'utf8')).toBe(generated());
});
