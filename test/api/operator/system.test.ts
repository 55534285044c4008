import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { allRoutes } from '../../../api/routes';
import { writeMark } from '../../../src/orders/upkeep/reconciliation';
import { VARIABLES } from '../../../src/platform/config';
import { randomToken } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { ensureSchedule, scheduleId } from '../../../src/platform/temporal/periodic-jobs';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';

let sql: Sql;
let deps: ApiDeps;
let app: Express;
let operator: TestAccount;
let key: { readonly 'X-API-KEY': string };

beforeAll(async () => {
  ({ sql } = await testDatabase());
  deps = await testApiDeps(sql, {
    config: {
      TEMPORAL_TASK_QUEUE: `test-${randomToken(9)}`,
      DATABASE_URL: 'postgresql://pressline:hidden-1@db.example:5432/pressline?password=hidden-2',
      LINK_SECRET: 'hidden-3' as never,
      EASYPOST_API_KEY: 'hidden-4',
      TEMPORAL_UI_URL: 'https://ui.test',
    },
  });
  app = createApp(deps, allRoutes(deps));
  ({ key } = await testAccount(sql, 'operator', 'system-viewer', 'viewer'));
  operator = await testAccount(sql, 'operator', 'operator', 'operator');
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

describe('periodic jobs', () => {
  const run = (name: string) => request(app).post(`/v1/operator/jobs/${name}/run`).set(operator.key);

  test('a job runs now, and the audit log has who requested it', async () => {
    const job = deps.jobs.find(({ name }) => name === 'maintenance')!;
    await ensureSchedule(deps.temporal, deps.config, job);
    const schedule = deps.temporal.schedule.getHandle(scheduleId(deps.config, job));
    try {
      expect((await schedule.describe()).info.numActionsTaken).toBe(0);
      expect((await run('maintenance').expect(200)).body).toEqual({
        name: 'maintenance',
        requestedAt: expect.any(String),
      });
      await eventually(async () => (await schedule.describe()).info.numActionsTaken === 1 || undefined);
      const [entry] =
        await sql`SELECT actor_name, action, object_type, object_id FROM audit_log WHERE action = 'job.run'`;
      expect(entry).toEqual({
        actorName: 'operator',
        action: 'job.run',
        objectType: 'job',
        objectId: 'maintenance',
      });
    } finally {
      await schedule.delete();
      // No worker processes it.
      await deps.temporal.workflow
        .getHandle(scheduleId(deps.config, job))
        .terminate()
        .catch(() => undefined);
    }
  });

  test('a job without a schedule responds with 409, and an unknown one 404', async () => {
    expect((await run('reconcile').expect(409)).body.message).toMatch(/schedule/);
    await run('reconcile-everything').expect(404);
    const [{ count }] = (await sql`
      SELECT count(*)::int FROM audit_log WHERE object_id LIKE 'reconcile%'`) as unknown as [{ count: number }];
    expect(count).toBe(0);
  });

  test('every operator reads the jobs', async () => {
    const { body } = await request(app).get('/v1/operator/jobs').set(key).expect(200);
    expect(body.jobs.map(({ name }: { name: string }) => name)).toEqual(deps.jobs.map(({ name }) => name));
  });
});
