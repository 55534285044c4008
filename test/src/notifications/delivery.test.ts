import { notificationLane } from '../../../src/notifications/delivery';
import {
  deliveryWithBody,
  listDeliveries,
  pruneDeadMessages,
  redeliver,
  sendTestEvent,
} from '../../../src/notifications/delivery-log';
import { changeEndpoint, deleteEndpoint, endpointOf, rotateSecret } from '../../../src/notifications/endpoints';
import { eraseRows } from '../../../src/orders/domain/personal-columns';
import { verifySignature } from '../../../src/platform/http/webhook-signature';
import { uuidv7 } from '../../../src/platform/ids';
import { replayDead } from '../../../src/platform/outbox/messages';
import type { OutboxRow } from '../../../src/platform/outbox/outbox';
import { startRelay } from '../../../src/platform/outbox/relay';
import { inTransaction } from '../../../src/platform/postgres';
import { dropExpiredPartitions } from '../../../src/platform/schema/partitioned-tables';
import { testAccount } from '../../support/api-deps';
import { untilLocked } from '../../support/database';
import { eventually } from '../../support/eventually';
import { testSecretBox } from '../../support/secret-box';
import { notificationFixture } from './notification-fixture';

const fixture = notificationFixture();
const { log, received, respondWith, outbox, newClient, newEndpoint, newOrder, setStatus, deliver, oneTest } = fixture;

describe('a delivery', () => {
  it('is signed, and every attempt has the same id', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    respondWith((_received, response) => response.writeHead(500).end('oops'));
    await deliver(row);
    respondWith((_received, response) => response.writeHead(200).end());
    await deliver({ ...row, attempts: 2 });
    expect(received).toHaveLength(2);
    expect(received[0]!.headers['webhook-id']).toBe(received[1]!.headers['webhook-id']);
    expect(received[0]!.body).toBe(received[1]!.body);
    for (const { headers, body } of received) {
      expect(verifySignature(headers as Record<string, string>, body, [endpoint.secret])).toBe(true);
      expect(headers['content-type']).toBe('application/json');
    }
    const logged = (await listDeliveries(fixture.sql, { endpointId: endpoint.id, limit: 10 }))[0]!;
    expect(logged).toMatchObject({
      state: 'delivered',
      nextAttemptAt: null,
      attempts: [
        { status: 500, error: 'the endpoint responded with 500', response: 'oops' },
        { status: 200, error: null },
      ],
    });
  });

  it('that has succeeded is not sent again when its outbox row is claimed again', async () => {
    const row = await oneTest((await newEndpoint(await newClient())).id);
    await deliver(row);
    expect(await deliver(row)).toEqual({ outcome: 'done' });
    expect(received).toHaveLength(1);
  });

  it.each([400, 401, 404, 302, 429, 503])('that gets the response %i is retried by the schedule', async (status) => {
    const row = await oneTest((await newEndpoint(await newClient())).id);
    respondWith((_received, response) => response.writeHead(status, { location: 'https://elsewhere.example/' }).end());
    const outcome = await deliver({ ...row, attempts: 3 });
    if (outcome.outcome !== 'retry') throw new Error(outcome.outcome);
    const minutes = outcome.afterMs / 60_000;
    expect(minutes).toBeGreaterThan(23);
    expect(minutes).toBeLessThan(37);
  });

  it('honours Retry-After', async () => {
    const row = await oneTest((await newEndpoint(await newClient())).id);
    respondWith((_received, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const outcome = await deliver(row);
    if (outcome.outcome !== 'retry') throw new Error(outcome.outcome);
    expect(outcome.afterMs / 60_000).toBeCloseTo(60, 0);
    const logged = (await listDeliveries(fixture.sql, { endpointId: row.target, limit: 1 }))[0]!;
    expect((logged.nextAttemptAt!.getTime() - Date.now()) / 60_000).toBeCloseTo(60, 0);
  });

  it('becomes a dead letter after ten attempts, and can be redelivered', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    respondWith((_received, response) => response.writeHead(500).end());
    expect(await deliver({ ...row, attempts: 9 })).toMatchObject({ outcome: 'retry' });
    await fixture.sql`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE endpoint_id = ${endpoint.id}`;
    expect(await deliver({ ...row, attempts: 10 })).toMatchObject({ outcome: 'dead' });
    await fixture.sql`UPDATE outbox SET dead_at = now() WHERE id = ${row.id}`;
    const [dead] = await listDeliveries(fixture.sql, { endpointId: endpoint.id, state: 'dead', limit: 10 });
    expect(dead).toMatchObject({ state: 'dead', settledAt: expect.any(Date) });

    respondWith((_received, response) => response.end());
    expect(await inTransaction(fixture.sql, (tx) => redeliver(tx, endpoint.id, 'dead'))).toBe(1);
    const rows = await outbox();
    expect(rows).toHaveLength(1);
    expect(await deliver(rows[0]!)).toEqual({ outcome: 'done', isSettled: true });
    expect(await outbox()).toEqual([]);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('that gets the response 410 disables its endpoint', async () => {
    const clientId = await newClient();
    const endpoint = await newEndpoint(clientId);
    const row = await oneTest(endpoint.id);
    respondWith((_received, response) => response.writeHead(410).end());
    expect(await deliver(row)).toMatchObject({ outcome: 'dead' });
    expect(await endpointOf(fixture.sql, clientId, endpoint.id)).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    });
    await setStatus(await newOrder(clientId), 'printed');
    expect(await outbox()).toHaveLength(1);
    expect(await changeEndpoint(fixture.sql, clientId, endpoint.id, { enabled: true })).toMatchObject({
      enabled: true,
      disabledReason: null,
    });
  });

  it('that is due while the endpoint is disabled becomes a dead letter without a request', async () => {
    const clientId = await newClient();
    const endpoint = await newEndpoint(clientId);
    const row = await oneTest(endpoint.id);
    await changeEndpoint(fixture.sql, clientId, endpoint.id, { enabled: false });
    expect(await deliver(row)).toEqual({ outcome: 'dead', error: 'the endpoint is disabled' });
    expect(received).toEqual([]);
  });

  it('is made to an operator’s endpoint while the operator is an admin', async () => {
    const { sql } = fixture;
    const { id } = await testAccount(sql, 'operator');
    const endpoint = await newEndpoint(id);
    const deliverOne = async () => await deliver(await oneTest(endpoint.id));
    expect(await deliverOne()).toEqual({ outcome: 'done', isSettled: true });
    const ended = { outcome: 'dead', error: 'the owner of the endpoint is no longer an admin' };
    for (const role of ['operator', 'viewer']) {
      await sql`UPDATE accounts SET operator_role = ${role} WHERE id = ${id}`;
      expect(await deliverOne()).toEqual(ended);
    }
    await sql`UPDATE accounts SET operator_role = 'admin' WHERE id = ${id}`;
    expect(await deliverOne()).toEqual({ outcome: 'done', isSettled: true });
    await sql`UPDATE accounts SET revoked_at = now() WHERE id = ${id}`;
    expect(await deliverOne()).toEqual(ended);
    expect(received).toHaveLength(2);
  });

  it.each(['before', 'while'])(
    'whose response arrives during an erasure that commits %s it is stored keeps none of its words',
    async (time) => {
      const { sql } = fixture;
      const clientId = await newClient();
      const endpoint = await newEndpoint(clientId, '/hook', ['order_status_updated']);
      const orderId = await newOrder(clientId);
      await setStatus(orderId, 'in_production');
      const [row] = await outbox();
      respondWith((_received, response) => response.writeHead(500).end('no shop of Ada Lovelace'));
      const [erased, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const erasure = inTransaction(sql, async (tx) => {
        await eraseRows(tx, [orderId]);
        erased.resolve();
        await commit.promise;
      });
      await erased.promise;
      if (time === 'before') {
        commit.resolve();
        await erasure;
      }
      const attempt = deliver(row!);
      if (time === 'while') {
        await untilLocked(sql, 'UPDATE webhook_deliveries d');
        commit.resolve();
        await erasure;
      }
      expect(await attempt).toMatchObject({ outcome: 'retry' });
      const [logged] = await listDeliveries(sql, { endpointId: endpoint.id });
      expect(logged!.attempts).toEqual([
        { at: expect.any(String), durationMs: expect.any(Number), status: 500, error: 'erased', response: 'erased' },
      ]);
    },
  );

  it('to a deleted endpoint is dropped, also when its row was already claimed', async () => {
    const clientId = await newClient();
    const endpoint = await newEndpoint(clientId);
    const claimed = await oneTest(endpoint.id);
    expect(await deleteEndpoint(fixture.sql, await newClient(), endpoint.id)).toBe(false);
    expect(await deleteEndpoint(fixture.sql, clientId, endpoint.id)).toBe(true);
    expect(await outbox()).toEqual([]);
    expect(await deliver(claimed)).toEqual({ outcome: 'done' });
    expect(received).toEqual([]);
  });

  it('carries both signatures during the overlap of a secret rotation', async () => {
    const clientId = await newClient();
    const endpoint = await newEndpoint(clientId);
    const rotated = (await rotateSecret({ sql: fixture.sql, secretBox: testSecretBox }, clientId, endpoint.id, 3600))!;
    await deliver(await oneTest(endpoint.id));
    const { headers, body } = received[0]!;
    expect(verifySignature(headers as Record<string, string>, body, [endpoint.secret])).toBe(true);
    expect(verifySignature(headers as Record<string, string>, body, [rotated.secret])).toBe(true);
    const again = (await rotateSecret({ sql: fixture.sql, secretBox: testSecretBox }, clientId, endpoint.id, 0))!;
    await deliver(await oneTest(endpoint.id));
    const last = received[1]!;
    expect(verifySignature(last.headers as Record<string, string>, last.body, [rotated.secret])).toBe(false);
    expect(verifySignature(last.headers as Record<string, string>, last.body, [again.secret])).toBe(true);
  });

  it('that fails before its regular time waits for it, and the attempt does not count', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    respondWith((_received, response) => response.writeHead(500).end());
    const logged = async () => (await listDeliveries(fixture.sql, { endpointId: endpoint.id, limit: 1 }))[0]!;
    expect(await deliver({ ...row, attempts: 3 })).toMatchObject({ outcome: 'retry' });
    const { nextAttemptAt } = await logged();
    await fixture.sql`UPDATE outbox SET attempts = 10`;
    expect(await deliver({ ...row, attempts: 10 })).toMatchObject({ outcome: 'wait' });
    expect(await logged()).toMatchObject({
      state: 'pending',
      nextAttemptAt,
      attempts: [{ status: 500 }, { status: 500 }],
    });
    expect(await fixture.sql`SELECT attempts, available_at FROM outbox`).toEqual([
      { attempts: 9, availableAt: nextAttemptAt },
    ]);
  });

  it('stores the latest twenty attempts', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    respondWith((_received, response) => response.writeHead(500).end('\0 odd \ud83d\ude00'));
    for (let attempt = 1; attempt <= 23; attempt++) await deliver({ ...row, attempts: 1 });
    const { deliveryId } = row.payload as { deliveryId: string };
    const logged = (await deliveryWithBody(fixture.sql, { endpointId: endpoint.id, id: deliveryId }))!;
    expect(logged.attempts).toHaveLength(20);
    expect(logged.attempts[0]).toMatchObject({ response: '\ufffd odd \ud83d\ude00' });
  });
});

describe('through the relay', () => {
  const delivering = () => {
    const { sql, client } = fixture;
    return startRelay({ sql, log, lanes: [notificationLane({ sql, client, secretBox: testSecretBox, log })] });
  };

  it('a receiver that never responds does not delay other receivers', async () => {
    const slow = await newEndpoint(await newClient(), '/slow');
    const quick = await newEndpoint(await newClient(), '/quick');
    respondWith(({ path }, response) => {
      if (path === '/quick') response.end();
    });
    for (let i = 0; i < 100; i++) await sendTestEvent(fixture.sql, slow.id);
    for (let i = 0; i < 20; i++) await sendTestEvent(fixture.sql, quick.id);
    const relay = await delivering();
    try {
      const delivered = (endpointId: string) =>
        listDeliveries(fixture.sql, { endpointId, state: 'delivered', limit: 50 });
      await eventually(async () => ((await delivered(quick.id)).length === 20 ? true : undefined));
      expect(await delivered(slow.id)).toEqual([]);
    } finally {
      fixture.server.closeAllConnections();
      respondWith((_received, response) => response.end());
      await relay.stop();
    }
  });

  it('the first success to an endpoint makes its waiting messages due, and other endpoints wait', async () => {
    const [down, other] = [
      await newEndpoint(await newClient(), '/down'),
      await newEndpoint(await newClient(), '/other'),
    ];
    respondWith((_received, response) => response.writeHead(503).end());
    for (const { id } of [down, down, down, other]) await sendTestEvent(fixture.sql, id);
    const relay = await delivering();
    const countOf = async (state: 'pending' | 'delivered', endpointId: string) =>
      (await listDeliveries(fixture.sql, { endpointId, state, limit: 10 })).filter(
        ({ attempts }) => attempts.length > 0,
      ).length;
    try {
      const haveFailed = async () => (await countOf('pending', down.id)) + (await countOf('pending', other.id)) === 4;
      await eventually(async () => (await haveFailed()) || undefined);
      await fixture.sql`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 hour'`;
      await fixture.sql`UPDATE outbox SET available_at = now() + interval '1 hour'`;
      respondWith((_received, response) => response.end());
      await sendTestEvent(fixture.sql, down.id);
      await eventually(async () => (await countOf('delivered', down.id)) === 4 || undefined);
      expect(await countOf('pending', other.id)).toBe(1);
    } finally {
      await relay.stop();
    }
  });

  it('a dead outbox row that an operator replays is delivered', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    respondWith((_received, response) => response.writeHead(500).end());
    await deliver({ ...row, attempts: 10 });
    await fixture.sql`UPDATE outbox SET dead_at = now() WHERE id = ${row.id}`;
    respondWith((_received, response) => response.end());
    expect(await replayDead(fixture.sql, { ids: [row.id] })).toBe(1);
    expect(await deliver((await outbox())[0]!)).toEqual({ outcome: 'done', isSettled: true });
    expect(await outbox()).toEqual([]);
    expect((await listDeliveries(fixture.sql, { endpointId: endpoint.id, limit: 1 }))[0]).toMatchObject({
      state: 'delivered',
    });
  });
});

describe('pruning', () => {
  it('deletes old settled deliveries with their dead outbox rows', async () => {
    const endpoint = await newEndpoint(await newClient());
    const [done, dead, pending, young] = [
      await oneTest(endpoint.id),
      await oneTest(endpoint.id),
      await oneTest(endpoint.id),
      await oneTest(endpoint.id),
    ];
    await deliver(done);
    respondWith((_received, response) => response.writeHead(500).end());
    await deliver({ ...dead, attempts: 10 });
    await fixture.sql`UPDATE outbox SET dead_at = now() WHERE id = ${dead.id}`;
    const idOf = (row: OutboxRow) => (row.payload as { deliveryId: string }).deliveryId;
    // An id begins with its time.
    for (const row of [done, dead, pending]) {
      const id = uuidv7(Date.now() - 31 * 86_400_000);
      await fixture.sql`UPDATE webhook_deliveries SET id = ${id} WHERE id = ${idOf(row)}`;
      await fixture.sql`UPDATE outbox SET payload = ${fixture.sql.json({ deliveryId: id })} WHERE id = ${row.id}`;
    }
    expect(await dropExpiredPartitions(fixture.sql, 365 * 86_400_000)).toMatchObject({ lateRows: 3 });
    expect(await pruneDeadMessages(fixture.sql)).toBe(1);
    const left = await listDeliveries(fixture.sql, { endpointId: endpoint.id, limit: 10 });
    expect(left.map(({ id }) => id)).toEqual([idOf(young)]);
    expect((await outbox()).map(({ id }) => id)).not.toContain(dead.id);
  });
});
