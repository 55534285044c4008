import { orderGauges } from '../../src/orders/reading/attention-counts';
import { outboxGauges } from '../../src/platform/outbox/messages';
import { connectPostgres } from '../../src/platform/postgres';
import type { Filled, Reading } from '../support/compare-sizes';

const CLIENT = '0190c000-0000-7000-8000-000000000001';
/** One order in a hundred is open. */
const STATUSES = ['in_production', ...Array(99).fill('delivered')];
/** Rows of both sizes: what needs attention or waits does not grow with the stored orders. */
const IN_NEED = 100;
const WAITING = 1_000;
const STEP = 50_000;

/** Fills a migrated database with orders of which few are open, fewer need attention, and with a short outbox. */
export async function fillGauges(url: string, rows: number): Promise<Filled> {
  const sql = connectPostgres(url, { max: 4, applicationName: 'bench-gauges' });
  await sql`INSERT INTO accounts (id, name, role) VALUES (${CLIENT}, 'bench', 'client')`;
  for (let from = 1; from <= rows; from += STEP) {
    await sql`
      INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
        shipping_address, attention)
      SELECT gen_random_uuid(), ${CLIENT}, 'ref-' || n, 'order', (${STATUSES}::text[])[1 + n % ${STATUSES.length}], 'invoiced',
        'EUR', '{}', CASE WHEN n <= ${IN_NEED} THEN '{not_received}'::text[] END
      FROM generate_series(${from}::int, ${Math.min(rows, from + STEP - 1)}::int) AS n`;
  }
  await sql`
    INSERT INTO outbox (kind, target, payload)
    SELECT 'notification', 'endpoint-' || n % 50, '{}' FROM generate_series(1, ${WAITING}::int) AS n`;
  await sql`VACUUM ANALYZE`;
  return { url, sql, rows };
}

export const GAUGE_READINGS: Readonly<Record<string, Reading>> = {
  'gauges of orders': ({ sql }) => orderGauges(sql),
  'gauges of the outbox': ({ sql }) => outboxGauges(sql),
};
