import type { CarrierAdapter, CarrierPurchase } from '../../../src/carriers/carrier';
import type { Consignment } from '../../../src/consignments/domain/consignment';
import { uuidv7 } from '../../../src/platform/ids';

/** A carrier under test, with a consignment that it carries and one that it does not. */
export interface CarrierUnderTest {
  readonly adapter: () => CarrierAdapter;
  readonly carried: Consignment;
  readonly notCarried: Consignment;
}

/** Defines the tests that every carrier adapter passes. Call it inside a describe block. */
export function carrierConformance({ adapter, carried, notCarried }: CarrierUnderTest): void {
  const cheapest = async (consignment = carried) => {
    const quotes = await adapter().quote(consignment);
    return [...quotes].sort((a, b) => a.price.minor - b.price.minor)[0]!;
  };
  const buy = async (idempotencyKey: string, packageIndex = 0, consignment = carried): Promise<CarrierPurchase> => {
    const { methodUid } = await cheapest(consignment);
    const outcome = await adapter().buy({ consignment, packageIndex, methodUid, idempotencyKey });
    if (!outcome.ok) throw new Error(outcome.refusal.message);
    return outcome.purchase;
  };

  test('its method uids are unique and start with its uid', async () => {
    const uids = (await adapter().quote(carried)).map(({ methodUid }) => methodUid);

    expect(uids.length).toBeGreaterThan(0);
    expect(uids.every((uid) => uid.startsWith(`${adapter().uid}_`))).toBe(true);
    expect(new Set(uids).size).toBe(uids.length);
  });

  test('its quotes are in the requested currency, with the shorter transit time first', async () => {
    for (const quote of await adapter().quote({ ...carried, currency: 'JPY' })) {
      expect(quote.price.currency).toBe('JPY');
      expect(Number.isInteger(quote.price.minor)).toBe(true);
      expect(quote.price.minor).toBeGreaterThan(0);
      expect(quote.minDays).toBeLessThanOrEqual(quote.maxDays);
    }
  });

  test('two equal packages cost twice as much as one', async () => {
    const one = await adapter().quote(carried);
    const two = await adapter().quote({
      ...carried,
      packages: [carried.packages[0]!, { ...carried.packages[0]!, packageReferenceId: 'second' }],
    });

    for (const quote of two) {
      const single = one.find(({ methodUid }) => methodUid === quote.methodUid)!;
      expect(quote.price.minor).toBe(single.price.minor * 2);
    }
    expect(two).toHaveLength(one.length);
  });

  test('a consignment that it does not carry has no quote and cannot be bought', async () => {
    expect(await adapter().quote(notCarried)).toEqual([]);

    const { methodUid } = await cheapest();
    const outcome = await adapter().buy({
      consignment: notCarried,
      packageIndex: 0,
      methodUid,
      idempotencyKey: uuidv7(),
    });
    expect(outcome).toMatchObject({
      ok: false,
      refusal: { code: expect.any(String), message: expect.any(String) },
    });
  });

  test('a method it does not have cannot be bought', async () => {
    const outcome = await adapter().buy({
      consignment: carried,
      packageIndex: 0,
      methodUid: `${adapter().uid}_balloon`,
      idempotencyKey: uuidv7(),
    });

    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'METHOD_NOT_AVAILABLE' } });
  });

  test('a purchase has a number, a link, a cost and a label', async () => {
    const purchase = await buy(uuidv7());

    expect(purchase.trackingNumber).not.toBe('');
    expect(new URL(purchase.trackingUrl).href).toContain(purchase.pageToken ?? purchase.trackingNumber);
    expect(purchase.cost.minor).toBeGreaterThan(0);
    if (purchase.label.kind === 'made') expect(purchase.label.body.subarray(0, 5).toString()).toBe('%PDF-');
    else expect(purchase.label.routing).not.toBe('');
  });

  test('the same key returns the same purchase, another key another purchase', async () => {
    const key = uuidv7();
    const [first, again, other] = [await buy(key), await buy(key), await buy(uuidv7())];

    expect(again).toEqual(first);
    expect(other.trackingNumber).not.toBe(first.trackingNumber);
  });

  test('a voided purchase is not returned again; voiding succeeds twice and without a purchase', async () => {
    const idempotencyKey = uuidv7();
    await buy(idempotencyKey);
    const { methodUid } = await cheapest();

    expect(await adapter().void({ idempotencyKey, methodUid })).toEqual({ ok: true });
    expect(await adapter().void({ idempotencyKey, methodUid })).toEqual({ ok: true });
    expect(await adapter().void({ idempotencyKey: uuidv7(), methodUid })).toEqual({ ok: true });
    expect(await adapter().buy({ consignment: carried, packageIndex: 0, methodUid, idempotencyKey })).toMatchObject({
      ok: false,
      refusal: { code: 'PURCHASE_VOIDED' },
    });
  });

  test('a bought package is registered, and an unknown number has no events', async () => {
    const { trackingNumber } = await buy(uuidv7());

    const events = await adapter().track([trackingNumber, 'XX000000000XX']);

    expect(events).toMatchObject([{ trackingNumber, statusUid: 'registered', signedBy: expect.any(String) }]);
    expect(new Date(events[0]!.occurredAt).toISOString()).toBe(events[0]!.occurredAt);
  });
}
