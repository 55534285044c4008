import type { ApiDeps } from '../../../api/deps';
import { collectGarbage, RETENTION_DAYS } from '../../../src/files/retention';
import { uuidv7 } from '../../../src/platform/ids';
import { type ObjectStore, ObjectsNotDeleted } from '../../../src/platform/objects/object-store';
import type { Sql } from '../../../src/platform/postgres';
import { testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

let sql: Sql;
let objects: ApiDeps['objects'];
let clientId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  ({ objects } = await testApiDeps(sql));
  clientId = (await testAccount(sql, 'client')).id;
});

/** Creates an order with a stored file, its preview and a packing slip. */
async function storedOrder(
  status: string,
  ageDays: number,
): Promise<{ orderId: string; keys: { file: string; preview: string; slip: string } }> {
  const orderId = uuidv7();
  const keys = {
    file: `orders/${orderId}/f`,
    preview: `orders/${orderId}/f.preview_flat`,
    slip: `orders/${orderId}/s`,
  };
  for (const key of Object.values(keys)) await objects.put(key, Buffer.from('x'), { contentType: 'application/pdf' });
  const at = new Date(Date.now() - ageDays * 86_400_000);
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency, shipping_address, updated_at)
    VALUES (${orderId}, ${clientId}, 'r', 'order', ${status}, 'paid', 'EUR', '{}', ${at})`;
  await sql`
    WITH item AS (
      INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status)
      VALUES (${orderId}, 0, 'i', 1, ${status}) RETURNING id)
    INSERT INTO order_files (id, order_item_id, position, type, url, object_key, previews, fetched_at)
    SELECT ${uuidv7()}, id, 0, 'default', 'https://a.example/a.pdf', ${keys.file},
      ${sql.json([{ type: 'preview_flat', objectKey: keys.preview, mimeType: 'image/jpeg' }])}, ${at} FROM item`;
  await sql`
    INSERT INTO packing_slips (id, order_id, package_index, url, object_key)
    VALUES (${uuidv7()}, ${orderId}, 0, 'https://a.example/s.pdf', ${keys.slip})`;
  return { orderId, keys };
}

const areStored = async (keys: object) =>
  await Promise.all(Object.values(keys).map(async (key: string) => (await objects.stat(key)) !== null));

describe('files of finished orders', () => {
  it('are deleted with previews and packing slips after the retention time; others stay', async () => {
    const { keys: finished } = await storedOrder('delivered', RETENTION_DAYS + 1);
    const { keys: untracked } = await storedOrder('shipped', RETENTION_DAYS + 1);
    const { keys: recent } = await storedOrder('delivered', RETENTION_DAYS - 1);
    const { keys: onHold } = await storedOrder('on_hold', RETENTION_DAYS + 100);
    expect(await collectGarbage(sql, objects)).toEqual({
      files: 2,
      packingSlips: 2,
      shippingDocuments: 0,
      uploads: 0,
      channelFiles: 0,
    });
    expect(await areStored(finished)).toEqual([false, false, false]);
    expect(await areStored(untracked)).toEqual([false, false, false]);
    expect(await areStored(recent)).toEqual([true, true, true]);
    expect(await areStored(onHold)).toEqual([true, true, true]);
    expect(await collectGarbage(sql, objects)).toEqual({
      files: 0,
      packingSlips: 0,
      shippingDocuments: 0,
      uploads: 0,
      channelFiles: 0,
    });
    const [file] = await sql`SELECT object_key, previews FROM order_files WHERE object_key IS NULL LIMIT 1`;
    expect(file).toEqual({ objectKey: null, previews: [] });
  });

  it('can have been deleted by a killed run already', async () => {
    const { keys: finished } = await storedOrder('canceled', RETENTION_DAYS + 1);
    await objects.delete([finished.file]);
    expect(await collectGarbage(sql, objects)).toMatchObject({ files: 1 });
  });
});

describe('a store that refuses to delete an object', () => {
  it('keeps its row, deletes all others, and fails the run', async () => {
    const { keys: refused } = await storedOrder('delivered', RETENTION_DAYS + 1);
    const { keys: other } = await storedOrder('delivered', RETENTION_DAYS + 1);
    const refusing: ObjectStore = {
      ...objects,
      async delete(keys) {
        await objects.delete(keys.filter((key) => key !== refused.preview));
        if (keys.includes(refused.preview))
          throw new ObjectsNotDeleted([refused.preview], { cause: new Error('AccessDenied: locked') });
      },
    };
    await expect(collectGarbage(sql, refusing)).rejects.toThrow('1 objects were not deleted: AccessDenied: locked');
    expect(await areStored(other)).toEqual([false, false, false]);
    expect(await sql`SELECT FROM order_files WHERE object_key = ${refused.file}`).toHaveLength(1);
    expect(await collectGarbage(sql, objects)).toMatchObject({ files: 1, packingSlips: 0 });
    expect(await areStored(refused)).toEqual([false, false, false]);
  });
});

describe('shipping documents', () => {
  it('are deleted after the retention time, and their rows are marked', async () => {
    const [shipmentId, old, young] = [uuidv7(), uuidv7(), uuidv7()];
    const { orderId } = await storedOrder('delivered', RETENTION_DAYS + 1);
    const partner = await testAccount(sql, 'partner');
    await sql`
      INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
      VALUES (${partner.id}, ${partner.name}, 'Inkwerk', 'DE', 'EUR', '{}', '{}')`;
    const [printOrder] = await sql<{ id: string }[]>`
      INSERT INTO print_orders (order_id, partner_id, step, kind, version, message_id, dispatch_date)
      VALUES (${orderId}, ${partner.id}, 'handoff:0', 'print', '1.1', ${uuidv7()}, '2026-05-01') RETURNING id`;
    await sql`
      INSERT INTO shipments (id, idempotency_key, order_id, print_order_id, consignment, method_uid)
      VALUES (${shipmentId}, ${shipmentId}, ${orderId}, ${printOrder!.id}, '{}', 'm')`;
    for (const [id, days] of [
      [old, RETENTION_DAYS + 1],
      [young, 1],
    ] as const) {
      await objects.put(`labels/${id}`, Buffer.from('x'), { contentType: 'application/pdf' });
      await sql`
        INSERT INTO shipment_documents (id, shipment_id, document_type, content_type, format, object_key, file_name, size_bytes, created_at)
        VALUES (${id}, ${shipmentId}, 'label', 'application/pdf', 'pdf', ${`labels/${id}`}, 'label.pdf', 1,
          now() - make_interval(days => ${days}))`;
    }
    expect(await collectGarbage(sql, objects)).toMatchObject({ shippingDocuments: 1 });
    expect(await areStored({ old: `labels/${old}`, young: `labels/${young}` })).toEqual([false, true]);
    const rows = await sql`SELECT id, deleted_at IS NOT NULL AS deleted FROM shipment_documents ORDER BY deleted DESC`;
    expect(rows).toMatchObject([
      { id: old, deleted: true },
      { id: young, deleted: false },
    ]);
  });
});

test('the content of a CSV file of orders is deleted with its retention time, and that of a dry run after a day', async () => {
  const channelId = uuidv7();
  await sql`INSERT INTO channels (id, client_id, kind, name) VALUES (${channelId}, ${clientId}, 'csv', 'kept')`;
  const file = async (ageDays: number, dryRun: boolean) => {
    const id = uuidv7();
    await objects.put(id, Buffer.from('x'), { contentType: 'text/csv' });
    await sql`
      INSERT INTO channel_files (id, channel_id, name, sha256, size_bytes, dry_run, object_key, state, created_at)
      VALUES (${id}, ${channelId}, 'a.csv', ${Buffer.from(id)}, 1, ${dryRun}, ${id}, 'read', ${new Date(Date.now() - ageDays * 86_400_000)})`;
    return id;
  };
  const deleted = [await file(RETENTION_DAYS + 1, false), await file(2, true)];
  const kept = [await file(RETENTION_DAYS - 1, false), await file(0, true)];
  expect(await collectGarbage(sql, objects)).toMatchObject({ channelFiles: 2 });
  for (const id of deleted) expect(await objects.stat(id)).toBeNull();
  for (const id of kept) expect(await objects.stat(id)).not.toBeNull();
});
