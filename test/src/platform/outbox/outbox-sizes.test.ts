import { outboxGauges } from '../../../../src/platform/outbox/messages';
import { testDatabase } from '../../../support/database';

test('the gauges count pending and dead rows by kind, and the age of the oldest pending row', async () => {
  const { sql } = await testDatabase();
  await sql`
    INSERT INTO outbox (kind, target, payload, created_at, available_at, dead_at)
    VALUES ('start_workflow', 'a', '{}', now() - interval '100 s', now() + interval '1 hour', NULL),
      ('start_workflow', 'b', '{}', now() - interval '10 s', now(), NULL),
      ('notification', 'c', '{}', now() - interval '500 s', now(), now())`;

  const points = await outboxGauges(sql);

  const valueFor = (name: string, kind: string) =>
    points.find((point) => point.name === name && (point.labels as Record<string, string>).kind === kind)!.value;
  expect(valueFor('pressline_outbox_pending', 'start_workflow')).toBe(2);
  expect(valueFor('pressline_outbox_oldest_age_seconds', 'start_workflow')).toBeGreaterThanOrEqual(100);
  expect(valueFor('pressline_outbox_pending', 'notification')).toBe(0);
  expect(valueFor('pressline_outbox_oldest_age_seconds', 'notification')).toBe(0);
  expect(valueFor('pressline_outbox_dead', 'notification')).toBe(1);
  expect(valueFor('pressline_outbox_dead', 'signal_workflow')).toBe(0);
});
