import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { allRoutes } from '../../../api/routes';
import { randomToken } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { ensureSchedule, scheduleId } from '../../../src/platform/temporal/periodic-jobs';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';

let sql: Sql;
let deps: ApiDeps;
let app: Express;
const operators = {} as Record<'viewer' | 'operator' | 'admin', TestAccount>;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  deps = await testApiDeps(sql, { config: { TEMPORAL_TASK_QUEUE: `test-${randomToken(9)}` } });
  app = createApp(deps, allRoutes(deps));
  for (const role of ['viewer', 'operator', 'admin'] as const) {
    operators[role] = await testAccount(sql, 'operator', role, role);
  }
});

const run = (name: string, by = operators.operator) => request(app).post(`/v1/operator/jobs/${name}/run`).set(by.key);

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

test('a viewer reads the jobs', async () => {
  const { body } = await request(app).get('/v1/operator/jobs').set(operators.viewer.key).expect(200);
  expect(body.jobs.map(({ name }: { name: string }) => name)).toEqual(deps.jobs.map(({ name }) => name));
});
