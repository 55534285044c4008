import { auditStock } from '../../../bench/support/stock-audit';
import { inTransaction } from '../../../src/platform/postgres';
import { adjustStock } from '../../../src/procurement/adjust-stock';
import {
  type ReservationLine,
  type ReserveOutcome,
  reserveStock,
  settleReservations,
} from '../../../src/procurement/reservations';
import { type TestDatabase, testDatabase } from '../../support/database';
import { levelOf, stocked, stockPartner } from './stock-fixture';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterEach(async () => {
  expect(await auditStock(db.sql)).toEqual([]);
});

let serial = 0;
const newJob = () => String(700_000 + ++serial);
const newStep = () => `order-${++serial}:reserve:0`;

async function reserve(step: string, ...lines: ReservationLine[]): Promise<ReserveOutcome> {
  return await inTransaction(db.sql, (tx) => reserveStock(tx, { step, lines }));
}
const consumed = (...printJobIds: string[]) =>
  inTransaction(db.sql, (tx) => settleReservations(tx, { printed: printJobIds.map((id) => ({ id })) })).then(
    ({ printed }) => printed,
  );
const released = (...printJobIds: string[]) =>
  inTransaction(db.sql, (tx) => settleReservations(tx, { cancelled: printJobIds })).then(({ cancelled }) => cancelled);

it('a reservation holds stock for print jobs, which consume it when they are printed', async () => {
  const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 10), stocked('tee', 4)]);
  const [one, two] = [newJob(), newJob()];
  const outcome = await reserve(
    newStep(),
    { partnerId, partnerSku: 'tee', quantity: 3, printJobId: two },
    { partnerId, partnerSku: 'frame', quantity: 2, printJobId: one },
  );
  expect(outcome).toMatchObject({ ok: true, lines: [{ allocated: 3, backordered: 0 }, { allocated: 2 }] });
  expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 10, reserved: 2 });
  expect(await consumed(one)).toBe(1);
  expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 8, reserved: 0 });
  expect(await levelOf(db.sql, partnerId, 'tee')).toMatchObject({ quantity: 4, reserved: 3 });
});

it('a step reserves once, also when it is repeated concurrently', async () => {
  const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 10)]);
  const step = newStep();
  const line = { partnerId, partnerSku: 'frame', quantity: 4, printJobId: newJob() };
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => reserve(step, line)));
  for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
  expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 10, reserved: 4 });
  await released(line.printJobId);
  await reserve(step, line);
  expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 10, reserved: 0 });
});

it('a reservation is settled once, and never again in another way', async () => {
  const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 10)]);
  const job = newJob();
  await reserve(newStep(), { partnerId, partnerSku: 'frame', quantity: 4, printJobId: job });
  const counts = await Promise.all([consumed(job), consumed(job), consumed(job)]);
  expect(counts.sort()).toEqual([0, 0, 1]);
  expect(await released(job)).toBe(0);
  expect(await levelOf(db.sql, partnerId, 'frame')).toEqual({ quantity: 6, reserved: 0, backorder: 0, ordered: 0 });
});

describe('a print job of which fewer units were made', () => {
  const printed = (id: string, units: number) =>
    inTransaction(db.sql, (tx) => settleReservations(tx, { printed: [{ id, units }] }));
  const reserved = (id: string) =>
    db.sql`SELECT state, quantity::int, allocated::int FROM stock_reservations WHERE print_job_id = ${id}`;

  it('consumes the pieces of the made units, and releases the rest', async () => {
    const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 20), stocked('hanger', 20)]);
    const job = newJob();
    const line = { partnerId, printJobId: job, units: 5 };
    await reserve(
      newStep(),
      { ...line, partnerSku: 'frame', quantity: 5 },
      { ...line, partnerSku: 'hanger', quantity: 10 },
    );
    await printed(job, 3);
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 17, reserved: 0 });
    expect(await levelOf(db.sql, partnerId, 'hanger')).toMatchObject({ quantity: 14, reserved: 0 });
    expect([...(await reserved(job))].map(({ quantity }) => quantity)).toEqual([3, 6]);
    await printed(job, 5);
    expect(await released(job)).toBe(0);
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 17, reserved: 0 });
  });

  it('consumes its allocated pieces first when it waited for some', async () => {
    const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 3)]);
    const job = newJob();
    await reserve(newStep(), { partnerId, partnerSku: 'frame', quantity: 5, units: 5, printJobId: job });
    await printed(job, 4);
    // One unit was made without stock and stays in the backorder. The fifth was not made.
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 0, reserved: 0, backorder: 1 });
  });

  it('releases everything when no unit was made', async () => {
    const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 3)]);
    const job = newJob();
    await reserve(newStep(), { partnerId, partnerSku: 'frame', quantity: 5, units: 5, printJobId: job });
    expect(await printed(job, 0)).toEqual({ printed: 0, cancelled: 1 });
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 3, reserved: 0, backorder: 0 });
    expect(await reserved(job)).toMatchObject([{ state: 'released' }]);
  });
});

it('two equal parts of one job have one reservation', async () => {
  const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 10)]);
  const line = { partnerId, partnerSku: 'frame', quantity: 2, printJobId: newJob() };
  expect(await reserve(newStep(), line, line)).toMatchObject({ ok: true, lines: [{ allocated: 4 }] });
});

describe('short stock', () => {
  it('refuses the whole step when the item does not allow backorders', async () => {
    const { id: partnerId } = await stockPartner(db.sql, [
      stocked('frame', 3, { allowBackorder: false }),
      stocked('tee', 10),
    ]);
    const step = newStep();
    const lines = [
      { partnerId, partnerSku: 'tee', quantity: 1, printJobId: newJob() },
      { partnerId, partnerSku: 'frame', quantity: 4, printJobId: newJob() },
    ];
    expect(await reserve(step, ...lines)).toEqual({
      ok: false,
      short: [{ partnerId, partnerSku: 'frame', printJobId: lines[1]!.printJobId, wanted: 4, available: 3 }],
    });
    expect(await levelOf(db.sql, partnerId, 'tee')).toMatchObject({ reserved: 0 });
    await adjustStock(db.sql, partnerId, [{ partnerSku: 'frame', adjustmentType: 'add', quantity: 1 }]);
    expect(await reserve(step, ...lines)).toMatchObject({ ok: true });
  });

  it('lets jobs wait when the item allows backorders, and serves them by age', async () => {
    const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 3)]);
    const [first, second] = [newJob(), newJob()];
    const frame = (printJobId: string) => ({ partnerId, partnerSku: 'frame', quantity: 4, printJobId });
    expect(await reserve(newStep(), frame(first))).toMatchObject({
      lines: [{ allocated: 3, backordered: 1 }],
    });
    expect(await reserve(newStep(), frame(second))).toMatchObject({
      lines: [{ allocated: 0, backordered: 4 }],
    });
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 3, reserved: 3, backorder: 5 });

    await adjustStock(db.sql, partnerId, [{ partnerSku: 'frame', adjustmentType: 'add', quantity: 3 }]);
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 6, reserved: 6, backorder: 2 });
    await consumed(first);
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 2, reserved: 2, backorder: 2 });
  });

  it('serves one waiting job by several additions of one request', async () => {
    const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 0)]);
    const job = newJob();
    await reserve(newStep(), { partnerId, partnerSku: 'frame', quantity: 10, printJobId: job });
    const delivery = (quantity: number) => ({ partnerSku: 'frame', adjustmentType: 'add', quantity }) as const;
    await adjustStock(db.sql, partnerId, [delivery(3), delivery(4)]);
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 7, reserved: 7, backorder: 3 });
    expect(await auditStock(db.sql)).toEqual([]);
    await consumed(job);
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 0, reserved: 0, backorder: 3 });
  });

  it('allocates nothing to a job that is settled in the same call', async () => {
    const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 4)]);
    const [cancelled, alsoCancelled, printed] = [newJob(), newJob(), newJob()];
    const frame = (printJobId: string, quantity: number) => ({
      partnerId,
      partnerSku: 'frame',
      quantity,
      printJobId,
    });
    await reserve(newStep(), frame(cancelled, 4), frame(alsoCancelled, 2), frame(printed, 3));
    const settled = await inTransaction(db.sql, (tx) =>
      settleReservations(tx, { printed: [{ id: printed }], cancelled: [cancelled, alsoCancelled] }),
    );
    expect(settled).toEqual({ printed: 1, cancelled: 2 });
    // Three pieces were printed without stock and are in the backorder. The four released pieces offset them.
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 1, reserved: 0, backorder: 0 });
  });
});

it('a job that loses units several times releases their pieces each time, and the rest when it is cancelled', async () => {
  const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 10)]);
  const job = newJob();
  await reserve(newStep(), { partnerId, partnerSku: 'frame', quantity: 8, units: 4, printJobId: job });
  for (const units of [3, 1]) {
    await inTransaction(db.sql, (tx) => settleReservations(tx, { reduced: [{ id: job, units }] }));
    expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 10, reserved: 2 * units });
  }
  await released(job);
  expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 10, reserved: 0, backorder: 0 });
  expect(await auditStock(db.sql)).toEqual([]);
});

it('SKUs that are not stock items of the partner are skipped', async () => {
  const { id: partnerId } = await stockPartner(db.sql);
  expect(await reserve(newStep(), { partnerId, partnerSku: 'own-brand', quantity: 1, printJobId: newJob() })).toEqual({
    ok: true,
    lines: [],
  });
});

it('the last piece is never reserved twice', async () => {
  const { id: partnerId } = await stockPartner(db.sql, [stocked('frame', 5, { allowBackorder: false })]);
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, () =>
      reserve(newStep(), { partnerId, partnerSku: 'frame', quantity: 1, printJobId: newJob() }),
    ),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(5);
  expect(await levelOf(db.sql, partnerId, 'frame')).toMatchObject({ quantity: 5, reserved: 5, backorder: 0 });
});
