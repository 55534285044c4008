import { randomUUID } from 'node:crypto';
import { ensureDemoPartners } from '../../../sandbox/demo/partners';
import { createAccount } from '../../../src/accounts/accounts-and-keys';
import { partnerCapabilitiesSchema } from '../../../src/partners/domain/capabilities';
import { routeOrder } from '../../../src/partners/domain/routing';
import {
  changePartner,
  deliveryTargetOf,
  listPartners,
  partnerByAccount,
  signingSecretsOf,
  subscribe,
} from '../../../src/partners/partner-rows';
import { createCandidateReader, recordRoutingDecision, routingDecisions } from '../../../src/partners/routing-rows';
import { recordStockReports, reportedLevels, skusToPoll } from '../../../src/partners/stock-levels';
import type { Sql } from '../../../src/platform/postgres';
import { setUpStockItems } from '../../../src/procurement/stock-items';
import { testDatabase } from '../../support/database';
import { insertOrder } from '../../support/rows/order-rows';
import { testSecretBox } from '../../support/secret-box';
import { partner, routingRequest, subscription } from './builders';

let sql: Sql;
let berlin: string;
let ohio: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const accounts = [];
  for (const name of ['prints-berlin', 'prints-ohio']) {
    accounts.push((await createAccount(sql, { role: 'partner', name }))!);
  }
  await ensureDemoPartners(sql, accounts);
  [berlin, ohio] = accounts.map(({ id }) => id) as [string, string];
});

const ADDRESSES = subscription({ inventoryUrl: 'https://partner.example/stock' });

describe('partners', () => {
  test('the demo partners have valid capabilities and the country of their address', async () => {
    const partners = await listPartners(sql);
    expect(partners.map(({ uid, country, stateProvince }) => [uid, country, stateProvince])).toEqual([
      ['prints-berlin', 'DE', 'BE'],
      ['prints-ohio', 'US', 'OH'],
    ]);
    for (const { capabilities } of partners) {
      expect(partnerCapabilitiesSchema.parse(capabilities)).toEqual(capabilities);
    }
  });

  test('ensuring the demo partners again keeps what operators changed', async () => {
    await changePartner(sql, berlin, { name: 'Prints Berlin West', capabilities: { capacityPerDay: 7 } });
    await ensureDemoPartners(sql, [{ id: berlin, name: 'prints-berlin' }]);
    const partner = (await partnerByAccount(sql, berlin))!;
    expect(partner.name).toBe('Prints Berlin West');
    expect(partner.capabilities.capacityPerDay).toBe(7);
    expect(partner.capabilities.countriesServed).toEqual(['*']);
    await changePartner(sql, berlin, { capabilities: { capacityPerDay: 5_000 } });
  });

  test('a second subscription replaces the first; both secrets sign for 24 hours', async () => {
    expect(deliveryTargetOf((await partnerByAccount(sql, berlin))!, 'print')).toBeUndefined();
    const first = (await subscribe({ sql, secretBox: testSecretBox }, berlin, ADDRESSES))!;
    expect(signingSecretsOf(testSecretBox, (await partnerByAccount(sql, berlin))!)).toEqual([first.signingSecret]);
    const second = (await subscribe({ sql, secretBox: testSecretBox }, berlin, {
      ...ADDRESSES,
      apparelOrderSubmitUrl: null,
      printOrderVersion: '1.0',
    }))!;
    const partner = (await partnerByAccount(sql, berlin))!;
    expect(signingSecretsOf(testSecretBox, partner)).toEqual([second.signingSecret, first.signingSecret]);
    expect(deliveryTargetOf(partner, 'apparel')).toEqual({ url: ADDRESSES.orderSubmitUrl, version: '1.0' });
    await sql`UPDATE partners SET previous_secret_until = now() - interval '1 s' WHERE account_id = ${berlin}`;
    expect(signingSecretsOf(testSecretBox, (await partnerByAccount(sql, berlin))!)).toEqual([second.signingSecret]);
  });

  test('an account that is not set up as a partner cannot subscribe', async () => {
    const other = (await createAccount(sql, { role: 'partner', name: 'nobody' }))!;
    expect(await subscribe({ sql, secretBox: testSecretBox }, other.id, ADDRESSES)).toBeUndefined();
  });
});

describe('stock levels for routing', () => {
  const stockOf = async (sku: string) => {
    const partners = await createCandidateReader(sql)([sku]);
    return partners.find(({ partnerId }) => partnerId === ohio)!.stock[sku];
  };
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));

  test('an unknown SKU is left out; reports with and without an amount are used', async () => {
    expect(await stockOf('tee-white-l')).toBeUndefined();
    await recordStockReports(sql, ohio, [{ SKU: 'tee-white-l', status: 'in-stock', amount: 4 }], at(0));
    expect(await stockOf('tee-white-l')).toEqual({
      available: 4,
      replenishmentDate: null,
      allowBackorder: false,
    });
    await recordStockReports(sql, ohio, [{ SKU: 'tee-white-l', status: 'in-stock' }], at(1));
    expect(await stockOf('tee-white-l')).toMatchObject({ available: null });
  });

  test('in-stock with amount 0 is out of stock and keeps its replenishment date', async () => {
    const report = {
      SKU: 'tee-white-s',
      status: 'in-stock',
      amount: 0,
      replenishmentDate: '2026-12-07',
    } as const;
    await recordStockReports(sql, ohio, [report], at(0));
    expect(await stockOf('tee-white-s')).toMatchObject({ available: 0, replenishmentDate: '2026-12-07' });
    const [level] = await reportedLevels(sql, ohio, { afterSku: 'tee-white-m', limit: 1 });
    expect(level).toMatchObject({ partnerSku: 'tee-white-s', status: 'out-of-stock', amount: 0 });
  });

  test('an older report that is stored later does not replace a newer one', async () => {
    await recordStockReports(sql, ohio, [{ SKU: 'tee-late', status: 'in-stock', amount: 5 }], at(10));
    await recordStockReports(sql, ohio, [{ SKU: 'tee-late', status: 'out-of-stock' }], at(9));
    expect(await stockOf('tee-late')).toMatchObject({ available: 5 });
  });

  test('available stock is the smaller of ledger and report, minus reservations', async () => {
    await setUpStockItems(sql, ohio, [
      { partnerSku: 'tee-both', minStock: 0, maxStock: 0, openingQuantity: 10, allowBackorder: true },
    ]);
    await sql`UPDATE stock_items SET reserved = 3 WHERE partner_sku = 'tee-both'`;
    expect(await stockOf('tee-both')).toEqual({
      available: 7,
      replenishmentDate: null,
      allowBackorder: true,
    });
    await recordStockReports(sql, ohio, [{ SKU: 'tee-both', status: 'in-stock', amount: 5 }], at(0));
    expect(await stockOf('tee-both')).toMatchObject({ available: 2 });
    await recordStockReports(sql, ohio, [{ SKU: 'tee-both', status: 'out-of-stock' }], at(1));
    expect(await stockOf('tee-both')).toMatchObject({ available: 0 });
  });

  test('the SKUs to poll are those of ledger and reports, each once, page by page', async () => {
    const all = await skusToPoll(sql, ohio, { afterSku: '', limit: 100 });
    expect(all).toEqual([...new Set(all)].sort());
    expect(all).toEqual(expect.arrayContaining(['tee-both', 'tee-late', 'tee-white-s']));
    const pages = [];
    let afterSku = '';
    for (;;) {
      const page = await skusToPoll(sql, ohio, { afterSku, limit: 2 });
      if (page.length === 0) break;
      pages.push(...page);
      afterSku = page.at(-1)!;
    }
    expect(pages).toEqual(all);
  });
});

describe('routing', () => {
  test('the routing decision of a step replaces an earlier one of the same step', async () => {
    const orderId = await insertOrder(sql);
    const decision = (uid: string) => routeOrder(routingRequest({ partners: [partner(uid)] }));
    for (const uid of ['first', 'second'])
      await recordRoutingDecision(sql, { orderId, step: 'handoff', decision: decision(uid) });
    expect(await routingDecisions(sql, orderId)).toEqual([
      { step: 'handoff', decision: decision('second'), createdAt: expect.any(Date) },
    ]);
  });

  test('load counts the units that are handed over and not printed', async () => {
    const orderId = await insertOrder(sql);
    const [item] = await sql<{ id: string }[]>`
      INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status)
      VALUES (${orderId}, 0, 'a', 40, 'passed') RETURNING id`;
    for (const [step, status] of [
      ['handoff:0', 'planned'],
      ['handoff:1', 'in_production'],
      ['handoff:2', 'printed'],
    ] as const) {
      const [printOrder] = await sql<{ id: string }[]>`
        INSERT INTO print_orders (order_id, partner_id, step, kind, version, message_id, dispatch_date)
        VALUES (${orderId}, ${ohio}, ${step}, 'apparel', '1.0', ${randomUUID()}, '2026-12-01') RETURNING id`;
      await sql`
        INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status)
        VALUES (${printOrder!.id}, ${item!.id}, 40, ${status})`;
    }
    const partners = await createCandidateReader(sql)([]);
    expect(partners.map(({ uid, openUnits }) => [uid, openUnits])).toEqual([
      ['prints-berlin', 0],
      ['prints-ohio', 80],
    ]);
  });
});
