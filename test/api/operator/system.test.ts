import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { allRoutes } from '../../../api/routes';
import { writeMark } from '../../../src/orders/upkeep/reconciliation';
import { VARIABLES } from '../../../src/platform/config';
import type { Sql } from '../../../src/platform/postgres';
import { testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

let sql: Sql;
let app: Express;
let key: { readonly 'X-API-KEY': string };

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql, {
    config: {
      DATABASE_URL: 'postgresql://pressline:hidden-1@db.example:5432/pressline?password=hidden-2',
      LINK_SECRET: 'hidden-3' as never,
      EASYPOST_API_KEY: 'hidden-4',
      TEMPORAL_UI_URL: 'https://ui.test',
    },
  });
  app = createApp(deps, allRoutes(deps));
  ({ key } = await testAccount(sql, 'operator', 'system-viewer', 'viewer'));
});

const read = async () => (await request(app).get('/v1/operator/system').set(key).expect(200)).body;

test('the page has the versions of this process and of the servers', async () => {
  const { versions, temporal } = await read();
  expect(versions).toEqual({
    pressline: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    postgres: expect.stringMatching(/^\d+/),
    temporal: expect.stringMatching(/^\d+\.\d+/),
    schema: expect.any(Number),
    pendingMigrations: [],
  });
  expect(temporal).toMatchObject({ namespace: 'default', uiUrl: 'https://ui.test' });
});

test('the page has every variable, and no secret', async () => {
  const { configuration } = await read();
  const shownFor = (name: string) => configuration.find((each: { name: string }) => each.name === name).value;
  expect(configuration.map(({ name }: { name: string }) => name)).toEqual(Object.keys(VARIABLES));
  expect(JSON.stringify(configuration)).not.toContain('hidden');
  expect(shownFor('DATABASE_URL')).toBe('postgresql://db.example:5432/pressline');
  expect([shownFor('LINK_SECRET'), shownFor('EASYPOST_API_KEY')]).toEqual(['(set)', '(set)']);
  expect(shownFor('RATE_LIMIT')).toBe('0');
});

test('the page has the differences that the last reconciliation found', async () => {
  await sql`DELETE FROM reconciliation`;
  expect((await read()).reconciliation).toBeNull();
  await writeMark(sql, 1, 0, { started: 2 });
  expect((await read()).reconciliation).toEqual({
    endedAt: expect.any(String),
    differences: [{ difference: 'started', description: expect.stringContaining('without a workflow'), count: 2 }],
  });
});
