import fc from 'fast-check';
import { buildReceipt, type Receipt } from '../../../../src/orders/domain/receipt';
import {
  type Charges,
  chargesOf,
  openLines,
  type ReceiptChange,
  refundUnits,
  reinvoice,
  type StoredReceipt,
  shippingCharge,
  shippingDifference,
  shippingSurplus,
} from '../../../../src/orders/planning/charges';
import { timesRate } from '../../../../src/platform/domain/money';

/** Refunds and changes of the shipping price add up to the charge, to the minor unit, in any sequence. */

const TAX = { treatment: 'taxed', country: 'DE' } as const;
const METHOD = { referenceId: 'parcel', title: 'Parcel' };

const invoice = (referenceId: string, amount: number, unit: number, saved: number): Receipt =>
  buildReceipt({
    currency: 'EUR',
    tax: TAX,
    products: [
      {
        referenceId,
        title: referenceId,
        vatRate: '0.19',
        price: { quantity: amount, baseMinor: unit + saved, lineMinor: amount * unit },
      },
    ],
    shipments: [{ ...METHOD, vatRate: '0.19', priceMinor: 389 }],
  });

/** The receipts of an order with one print order for each invoice. */
class Ledger {
  readonly receipts: StoredReceipt[];

  constructor(invoices: readonly Receipt[]) {
    this.receipts = invoices.map((body, index) => this.stored(String(index), 'invoice', body));
  }

  private stored(printOrderId: string, type: 'invoice' | 'refund', body: Receipt): StoredReceipt {
    return { number: '', type, printOrderId, body, createdAt: new Date(0) };
  }

  add(changes: readonly (ReceiptChange | null)[]): Receipt[] {
    const added = changes.flatMap((change) =>
      change === null ? [] : [this.stored(change.printOrderId, change.type, change.receipt)],
    );
    this.receipts.push(...added);
    return added.map(({ body }) => body);
  }

  get charges(): Charges[] {
    return chargesOf(this.receipts);
  }

  refund(reference: string, units: number): Receipt[] {
    return this.add(refundUnits(this.charges, new Map([[reference, units]])));
  }

  total(name: keyof Receipt['totals']): number {
    return this.receipts.reduce((sum, { body }) => sum + body.totals[name], 0);
  }
}

const TOTALS = Object.keys(invoice('item', 1, 1, 0).totals) as (keyof Receipt['totals'])[];

const lines = fc.record({
  amount: fc.integer({ min: 1, max: 40 }),
  unit: fc.integer({ min: 1, max: 10_000 }),
  saved: fc.nat(500),
});
const ledger = (bought: readonly { amount: number; unit: number; saved: number }[]) =>
  new Ledger(bought.map(({ amount, unit, saved }, index) => invoice(`item-${index}`, amount, unit, saved)));

test('successive partial refunds add up to the invoice; shipping is refunded with the last units', () => {
  fc.assert(
    fc.property(
      fc.array(lines, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 9 })), { maxLength: 30 }),
      (bought, steps) => {
        const order = ledger(bought);
        const refunds: Receipt[] = [];
        const refund = (index: number, units: number) =>
          refunds.push(...order.refund(`item-${index % bought.length}`, units));
        for (const [index, units] of steps) refund(index, units);
        // Refund the rest, and more than was charged.
        for (const index of bought.keys()) refund(index, 100);

        for (const name of TOTALS) expect([name, order.total(name)]).toEqual([name, 0]);
        for (const { totals } of refunds) expect(totals.totalInclVat).toBeLessThanOrEqual(0);
      },
    ),
  );
});

test('refunds and changes of method, price and VAT country leave what is open, and a complete refund leaves nothing', () => {
  const change = fc.oneof(
    fc.record({ units: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ shippingPrice: fc.nat(3_000) }),
    fc.record({ vatRate: fc.constantFrom('0', '0.19', '0.20', '0.081'), shippingPrice: fc.nat(3_000) }),
  );
  fc.assert(
    fc.property(lines, fc.array(change, { maxLength: 20 }), (bought, changes) => {
      const order = ledger([bought]);
      let shipping = 389;
      let rate = '0.19';
      for (const step of changes) {
        const [charge] = order.charges;
        const isOpen = openLines(charge!).some(({ amount }) => amount > 0);
        if ('units' in step) order.refund('item-0', step.units);
        else if (!isOpen) continue;
        else if ('vatRate' in step) {
          order.add(reinvoice(charge!, TAX, () => step.vatRate, { ...METHOD, priceMinor: step.shippingPrice }));
          ({ shippingPrice: shipping, vatRate: rate } = step);
        } else {
          order.add([shippingDifference(charge!, METHOD, step.shippingPrice - shipping)]);
          shipping = step.shippingPrice;
        }
        const [after] = order.charges;
        const open = openLines(after!);
        const left = open.some(({ amount }) => amount > 0);
        const openPrice = open.reduce((sum, { price }) => sum + price, 0);
        expect(order.total('productsPrice')).toBe(openPrice);
        expect(order.total('productsPriceVat')).toBe(timesRate(openPrice, rate));
        expect(order.total('shippingPrice')).toBe(left ? shipping : 0);
        expect(order.total('shippingPriceVat')).toBe(left ? timesRate(shipping, rate) : 0);
        expect(order.total('totalInclVat')).toBe(order.total('total') + order.total('totalVat'));
      }
      order.refund('item-0', 100);
      for (const name of TOTALS) expect([name, order.total(name)]).toEqual([name, 0]);
    }),
  );
});

test('units that have left keep their invoice when the rest goes to another country', () => {
  const both = buildReceipt({
    currency: 'EUR',
    tax: TAX,
    products: ['left', 'rest'].map((referenceId) => ({
      referenceId,
      title: referenceId,
      vatRate: '0.19',
      price: { quantity: 2, baseMinor: 500, lineMinor: 1000 },
    })),
    shipments: [{ ...METHOD, vatRate: '0.19', priceMinor: 389 }],
  });
  const order = new Ledger([both]);
  const moved = { units: new Map([['rest', 2]]), shippingMinor: 200 };
  const [refund, again] = order.add(
    reinvoice(order.charges[0]!, TAX, () => '0.20', { ...METHOD, priceMinor: 700 }, moved),
  );
  expect(refund!.totals).toMatchObject({ productsPrice: -1000, shippingPrice: -200 });
  expect(again!.totals).toMatchObject({ productsPrice: 1000, productsPriceVat: 200, shippingPrice: 700 });
  expect(order.charges.map((charge) => openLines(charge).filter(({ amount }) => amount > 0))).toMatchObject([
    [{ line: { referenceId: 'left', vatRate: '0.19' } }],
    [{ line: { referenceId: 'rest', vatRate: '0.20' } }],
  ]);
  for (const reference of ['left', 'rest']) order.refund(reference, 100);
  for (const name of TOTALS) expect([name, order.total(name)]).toEqual([name, 0]);
});

test('VAT of a shipping price that changes method, is split by a change of country and is refunded in parts agrees to the minor unit', () => {
  const rates = fc.constantFrom('0', '0.055', '0.081', '0.19', '0.20', '0.25');
  const step = fc.record({
    kind: fc.constantFrom('cancel', 'method', 'country'),
    item: fc.nat(2),
    units: fc.integer({ min: 1, max: 4 }),
    minor: fc.nat(2_000),
    rate: rates,
  });
  fc.assert(
    fc.property(rates, fc.nat(3_000), fc.array(step, { maxLength: 25 }), (rate, priceMinor, steps) => {
      const references = ['item-0', 'item-1', 'item-2'];
      const products = references.map((referenceId) => ({
        referenceId,
        title: referenceId,
        vatRate: rate,
        price: { quantity: 6, baseMinor: 437, lineMinor: 2_431 },
      }));
      const shipments = [{ ...METHOD, vatRate: rate, priceMinor }];
      const order = new Ledger([buildReceipt({ currency: 'EUR', tax: TAX, products, shipments })]);
      for (const [index, { kind, item, units, minor, rate: newRate }] of steps.entries()) {
        const latest = order.charges.at(-1)!;
        const { price } = shippingCharge(latest);
        const method = { referenceId: `method-${index}`, title: 'Another method' };
        const isOpen = openLines(latest).some(({ amount }) => amount > 0);
        if (kind === 'cancel') order.refund(references[item]!, units);
        else if (isOpen && kind === 'method') order.add([shippingDifference(latest, method, minor - price)]);
        else if (isOpen) {
          const moved = { units: new Map([[references[item]!, units]]), shippingMinor: Math.min(price, minor) };
          order.add(reinvoice(latest, TAX, () => newRate, { ...method, priceMinor: minor }, moved));
        }
        let vat = 0;
        for (const charge of order.charges) {
          const lines = openLines(charge).map(({ line, price: open, vat: due }) => [line.vatRate, open, due] as const);
          const shipping = shippingCharge(charge);
          for (const [of, open, due] of [...lines, [shipping.vatRate, shipping.price, shipping.vat] as const]) {
            expect(due).toBe(timesRate(open, of));
            expect(due).toBeGreaterThanOrEqual(0);
            vat += due;
          }
        }
        expect(order.total('totalVat')).toBe(vat);
      }
      for (const reference of references) order.refund(reference, 100);
      for (const name of ['total', 'totalVat', 'shippingPriceVat'] as const) expect(order.total(name)).toBe(0);
    }),
  );
});

test('shipping is not refunded while units of the parcel are left', () => {
  const order = new Ledger([invoice('item', 3, 593, 0)]);
  const [first] = order.refund('item', 2);
  expect(first!.totals).toMatchObject({ shippingPrice: 0, productsPrice: -1186, productsPriceVat: -225 });
  const [last] = order.refund('item', 1);
  expect(last!.totals).toMatchObject({ shippingPrice: -389, productsPrice: -593, productsPriceVat: -113 });
  expect(order.refund('item', 1)).toEqual([]);
});

test('more is charged for shipping than the plans of the charged units cost, without those made in addition', () => {
  const order = new Ledger([invoice('poster', 2, 790, 0)]);
  const plan = (printOrderId: string, priceMinor: number, poster: number) => ({
    printOrderId,
    priceMinor,
    units: { poster },
  });
  expect(shippingSurplus(order.charges, [plan('1', 389, 2)])).toBe(0);
  expect(shippingSurplus(order.charges, [plan('1', 300, 2), plan('2', 250, 1)])).toBe(89);
  expect(shippingSurplus(order.charges, [plan('1', 300, 1), plan('2', 250, 1)])).toBe(-161);
  order.refund('poster', 1);
  expect(shippingSurplus(order.charges, [plan('2', 250, 1)])).toBe(139);
});

test('a dearer method adds an invoice of the difference, a cheaper one a refund', () => {
  const order = new Ledger([invoice('item', 1, 1_000, 0)]);
  const [dearer] = order.add([shippingDifference(order.charges[0]!, METHOD, 500)]);
  expect(dearer!.totals).toMatchObject({ shippingPrice: 500, productsPrice: 0, total: 500 });
  const [cheaper] = order.add([shippingDifference(order.charges[0]!, METHOD, -700)]);
  expect(cheaper!.totals).toMatchObject({ shippingPrice: -700, total: -700 });
  expect(shippingCharge(order.charges[0]!)).toMatchObject({ price: 189, vat: timesRate(189, '0.19') });
  expect(shippingDifference(order.charges[0]!, METHOD, 0)).toBeNull();
});

test('a refund that names no print order belongs to the invoice of its items', () => {
  const order = new Ledger([invoice('item-0', 2, 500, 0), invoice('item-1', 2, 500, 0)]);
  const [change] = refundUnits(order.charges, new Map([['item-1', 1]]));
  order.receipts.push({
    number: '',
    type: 'refund',
    printOrderId: null,
    body: change!.receipt,
    createdAt: new Date(0),
  });
  expect(order.charges.map((charge) => openLines(charge)[0]!.amount)).toEqual([2, 1]);
});
