import { PDFiumLibrary } from '@hyzyla/pdfium';
import Decimal from 'decimal.js';
import { crossesBorder, EU, type Good, ORIGINS } from './goods';
import type { PrintOrder, Rates } from './ledger';
import type { GeneratedOrder, Recipient } from './orders';
import { IOSS_NUMBER } from './world';

/** What the papers of a parcel say, read from the text of the documents. */

export interface Paper {
  readonly kind: 'invoice' | 'delivery_note' | 'packing_list' | 'customs';
  readonly lines: readonly {
    /** By the reference of the item where the paper has it, else by the HS code. */
    readonly of: string;
    readonly quantity: number;
    /** Null on papers without prices. */
    readonly minor: number | null;
  }[];
  readonly shippingMinor: number | null;
  readonly totalMinor: number | null;
  readonly hasIoss: boolean;
}

let library: Promise<PDFiumLibrary> | undefined;

async function textOf(pdf: Uint8Array): Promise<string> {
  library ??= PDFiumLibrary.init();
  const document = await (await library).loadDocument(pdf);
  try {
    return [...document.pages()]
      .map((page) => page.getText())
      .join(' ')
      .replace(/\s+/g, ' ');
  } finally {
    document.destroy();
  }
}

const minorOf = (amount: string, currency: string) => Math.round(Number(amount) * (currency === 'JPY' ? 1 : 100));

/** Reads a document. Null for a label. @throws Error for a paper that is none of the known ones */
export async function readPaper(url: string): Promise<Paper | null> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  const text = await textOf(new Uint8Array(await response.arrayBuffer()));
  const hasIoss = text.includes(IOSS_NUMBER);
  const priced = (pattern: RegExp, total: RegExp) => {
    const lines = [...text.matchAll(pattern)].map(({ groups }) => ({
      of: groups!.of!,
      quantity: Number(groups!.quantity),
      minor: minorOf(groups!.amount!, groups!.currency!),
    }));
    const [, amount, currency] = total.exec(text) ?? [];
    return { lines, totalMinor: amount === undefined ? null : minorOf(amount, currency!), hasIoss };
  };
  if (/Commercial Invoice/.test(text)) {
    const row =
      /(?<of>\d{6}) [A-Z]{2} (?<quantity>\d+) [\d.]+ kg [\d.]+ [A-Z]{3} (?<amount>[\d.]+) (?<currency>[A-Z]{3})/g;
    return { kind: 'customs', ...priced(row, /Total value ([\d.]+) ([A-Z]{3})/), shippingMinor: null };
  }
  if (/CN 23/.test(text)) {
    const row = /(?<quantity>\d+) [\d.]+ kg (?<amount>[\d.]+) (?<currency>[A-Z]{3}) (?<of>\d{6}) [A-Z]{2}/g;
    return { kind: 'customs', ...priced(row, /Total value ([\d.]+) ([A-Z]{3})/), shippingMinor: null };
  }
  if (/CN 22/.test(text)) {
    const row = /(?<quantity>\d+) x .*?(?<of>\d{6}) [A-Z]{2} [\d.]+ kg (?<amount>[\d.]+) (?<currency>[A-Z]{3})/g;
    return {
      kind: 'customs',
      ...priced(row, /Total, net weight [\d.]+ kg [\d.]+ kg ([\d.]+) ([A-Z]{3})/),
      shippingMinor: null,
    };
  }
  if (/^Invoice /.test(text)) {
    const row = /\b(?<of>i\d) (?<quantity>\d+) [\d.]+ [A-Z]{3} (?<amount>[\d.]+) (?<currency>[A-Z]{3})/g;
    const shipping = /Shipping 1 [\d.]+ [A-Z]{3} ([\d.]+) ([A-Z]{3})/.exec(text);
    const found = priced(row, /\bNet ([\d.]+) ([A-Z]{3})/);
    return { kind: 'invoice', ...found, shippingMinor: shipping === null ? null : minorOf(shipping[1]!, shipping[2]!) };
  }
  if (/^(Delivery note|Packing list) /.test(text)) {
    const lines = [...text.matchAll(/\b(i\d) (\d+)\b/g)].map(([, of, quantity]) => ({
      of: of!,
      quantity: Number(quantity),
      minor: null,
    }));
    const kind = text.startsWith('Delivery') ? 'delivery_note' : 'packing_list';
    return { kind, lines, shippingMinor: null, totalMinor: null, hasIoss };
  }
  throw new Error(`unknown paper: ${text.slice(0, 200)}`);
}

export type UnitsByReference = Readonly<Record<string, number>>;

/** A parcel of a dispatch response: its papers, and its contents as the client reads them. */
export interface PaperedParcel {
  readonly trackingCode: string;
  readonly papers: readonly Paper[];
  readonly units: UnitsByReference;
}

const shown = (units: UnitsByReference) => JSON.stringify(Object.fromEntries(Object.entries(units).sort()));
const added = (lines: readonly { readonly of: string; readonly quantity: number }[]): UnitsByReference => {
  const sums: Record<string, number> = {};
  for (const { of, quantity } of lines) sums[of] = (sums[of] ?? 0) + quantity;
  return sums;
};

/** Returns what is wrong with the papers of a parcel. */
export function paperFaults(
  order: GeneratedOrder,
  recipient: Recipient,
  printOrders: readonly PrintOrder[],
  { partner }: PrintOrder,
  { trackingCode, papers, units }: PaperedParcel,
  { perEuro }: Rates,
): string[] {
  const goodOf = (reference: string): Good => order.items.find((item) => item.reference === reference)!.good;
  const of = (kind: Paper['kind']) => papers.filter((paper) => paper.kind === kind);
  const [invoices, notes, customs] = [of('invoice'), of('delivery_note'), of('customs')];
  const isPriced = order.retailShippingMinor !== null;
  const isExport = crossesBorder(ORIGINS[partner]!, recipient.place);
  const faults: string[] = [];
  const expected = { invoice: isPriced ? 1 : 0, 'delivery note': isPriced ? 0 : 1, 'customs form': isExport ? 1 : 0 };
  const found = { invoice: invoices.length, 'delivery note': notes.length, 'customs form': customs.length };
  for (const name of Object.keys(expected) as (keyof typeof expected)[]) {
    if (found[name] !== expected[name]) faults.push(`has ${found[name]} of the paper ${name}, not ${expected[name]}`);
  }
  for (const { kind, lines } of [...invoices, ...notes, ...of('packing_list')]) {
    if (shown(added(lines)) !== shown(units))
      faults.push(`${kind} lists ${shown(added(lines))}, the parcel has ${shown(units)}`);
  }
  for (const { lines } of customs) {
    const byCode = added(
      Object.entries(units).map(([reference, quantity]) => ({ of: goodOf(reference).hsCode, quantity })),
    );
    if (shown(added(lines)) !== shown(byCode))
      faults.push(`customs form lists ${shown(added(lines))}, the parcel has ${shown(byCode)}`);
  }
  const [goodsInvoiced] = invoices.map(({ lines }) => lines.reduce((sum, { minor }) => sum + minor!, 0));
  for (const { lines, totalMinor, shippingMinor } of [...invoices, ...customs]) {
    const sum = lines.reduce((total, { minor }) => total + minor!, 0) + (shippingMinor ?? 0);
    if (sum !== totalMinor) faults.push(`lines add up to ${sum}, the total is ${totalMinor}`);
  }
  for (const { totalMinor } of customs)
    if (goodsInvoiced !== undefined && totalMinor !== goodsInvoiced)
      faults.push(`declares ${totalMinor}, invoices ${goodsInvoiced}`);
  for (const paper of [...invoices, ...customs]) {
    const isIoss = fallsUnderIoss(order, recipient, printOrders, partner, perEuro);
    if (paper.hasIoss !== isIoss) faults.push(`${paper.kind} ${paper.hasIoss ? 'has' : 'lacks'} the IOSS number`);
  }
  return faults.map((fault) => `parcel ${trackingCode}: ${fault}`);
}

/** Returns the retail value of units of an item: their share of the price of its line, in minor units. */
export function retailOf({ items }: GeneratedOrder, reference: string, units: number): number {
  const { retailMinor, quantity } = items.find((item) => item.reference === reference)!;
  return new Decimal(retailMinor ?? 0).times(units).div(quantity).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
}

/** Goods from outside the EU to a private buyer in it, up to 150 EUR in all, bear the VAT of their country by the IOSS. */
function fallsUnderIoss(
  order: GeneratedOrder,
  { place, isBusiness }: Recipient,
  printOrders: readonly PrintOrder[],
  partner: string,
  perEuro: Rates['perEuro'],
): boolean {
  if (isBusiness || !EU.includes(place.vat) || !crossesBorder(ORIGINS[partner]!, place)) return false;
  const abroad = printOrders.filter((each) => crossesBorder(ORIGINS[each.partner]!, place));
  const cents = abroad
    .flatMap(({ jobs }) => jobs)
    .map(({ reference, units }) => {
      const minor = new Decimal(retailOf(order, reference, units));
      const rate = order.currency === 'EUR' ? 1 : perEuro[order.currency]!;
      return minor
        .times(order.currency === 'JPY' ? 100 : 1)
        .div(rate)
        .toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
        .toNumber();
    });
  return cents.reduce((sum, each) => sum + each, 0) <= 150_00;
}
