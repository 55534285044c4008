import { s10 } from '../../../src/carriers/domain/tracking-numbers';
import type { ConsignmentItem } from '../../../src/consignments/domain/consignment';
import { customsForm } from '../../../src/consignments/domain/customs';
import { renderCn22 } from '../../../src/documents/cn22';
import { renderCn23 } from '../../../src/documents/cn23';
import { renderCommercialInvoice } from '../../../src/documents/commercial-invoice';
import { type CustomerInvoice, renderCustomerInvoice } from '../../../src/documents/customer-invoice';
import type { CustomsDeclaration } from '../../../src/documents/customs-declaration';
import { renderPackingList } from '../../../src/documents/packing-list';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { BERLIN, CHICAGO, longAddress, MUNICH, TOKYO } from '../consignments/sample-addresses';
import { consignmentTo, packageOf } from '../consignments/sample-consignments';
import { barcodesIn, pagesOf, textOf, touchesEdge } from './pictures';

const item = (index: number, change: Partial<ConsignmentItem> = {}): ConsignmentItem => ({
  itemReferenceId: `item-${index}`,
  description: `Poster ${index}, matte paper 200 g, 50x70 cm`,
  quantity: 2,
  unitValue: { minor: 1_999, currency: 'EUR' },
  unitWeightGrams: 180,
  hsCode: '491191',
  countryOfOrigin: 'DE',
  ...change,
});
const items = (count: number) => Array.from({ length: count }, (_, index) => item(index + 1));
const words = (text: string) => text.replace(/\s+/g, ' ');

describe('the customs document of a package', () => {
  const light = packageOf({ grossWeightGrams: 800, items: [item(1)] });
  test.each([
    ['within a country', MUNICH, light, 'postal', null],
    ['within the EU', { ...MUNICH, country: 'FR' }, light, 'postal', null],
    ['small and cheap by post', CHICAGO, light, 'postal', 'cn22'],
    ['above 2 kg by post', CHICAGO, { ...light, grossWeightGrams: 2_001 }, 'postal', 'cn23'],
    ['at 2 kg by post', CHICAGO, { ...light, grossWeightGrams: 2_000 }, 'postal', 'cn22'],
    [
      'of 348 euros by post',
      CHICAGO,
      { ...light, items: [item(1, { quantity: 1, unitValue: { minor: 34_800, currency: 'EUR' } })] },
      'postal',
      'cn22',
    ],
    [
      'above 300 SDR by post',
      CHICAGO,
      { ...light, items: [item(1, { quantity: 1, unitValue: { minor: 34_900, currency: 'EUR' } })] },
      'postal',
      'cn23',
    ],
    [
      'above 300 SDR in yen',
      CHICAGO,
      { ...light, items: [item(1, { quantity: 1, unitValue: { minor: 65_000, currency: 'JPY' } })] },
      'postal',
      'cn23',
    ],
    ['with more lines than a CN22 holds', CHICAGO, { ...light, items: items(7) }, 'postal', 'cn23'],
    ['by courier', CHICAGO, light, 'commercial', 'commercial_invoice'],
  ] as const)('%s', (_, receiver, pack, carrier, expected) => {
    expect(customsForm(consignmentTo(receiver, { packages: [pack] }), pack, carrier, REFERENCE_RATES)).toBe(expected);
  });
});

const declaration = (count: number, change: Partial<ConsignmentItem> = {}): CustomsDeclaration => {
  const pack = packageOf({
    grossWeightGrams: 1_940,
    items: items(count).map((each) => ({ ...each, ...change })),
  });
  return {
    consignment: consignmentTo(CHICAGO, { packages: [pack] }),
    pack,
    carrierName: 'Corvid Post',
    number: s10('C', 47312482, 'DE'),
    barcode: { symbology: 'code128', value: s10('C', 47312482, 'DE') },
    date: '2026-01-05',
    rates: REFERENCE_RATES,
  };
};

test('a CN22 lists every item with quantity, weight, value, tariff number and origin, and has totals, signature and date', async () => {
  const pdf = await renderCn22(declaration(2));
  const [text] = await textOf(pdf);
  const [page] = await pagesOf(pdf, 'cn22');

  expect(words(text!)).toContain('2 x Poster 1, matte paper 200 g');
  expect(words(text!)).toContain('0.360 kg');
  expect(words(text!)).toContain('39.98 EUR');
  expect(words(text!)).toContain('79.96 EUR');
  expect(words(text!)).toContain('1.940 kg');
  expect(text).toContain('491191');
  expect(text).toContain('Sender EORI no. (DE) DE123456789012345');
  expect(words(text!)).toContain('Date 2026-01-05');
  expect(words(text!)).toContain('signature: Jörg Weiß');
  expect(touchesEdge(page!, 20)).toBe(false);
});

test('customs documents show the stated net weight and the box type', async () => {
  const stated = { ...declaration(2).pack, netWeightGrams: 1_500, boxType: 'tube' };
  const form = { ...declaration(2), consignment: consignmentTo(CHICAGO, { packages: [stated] }), pack: stated };
  const [cn22, cn23] = [await renderCn22(form), await renderCn23(form)];
  const invoice = await renderCommercialInvoice(form);
  for (const [pdf, name] of [
    [cn22, 'cn22-tube'],
    [cn23, 'cn23-tube'],
    [invoice, 'invoice-tube'],
  ] as const) {
    const [page] = await pagesOf(pdf, name);
    expect(touchesEdge(page!, 20)).toBe(false);
    expect(words((await textOf(pdf))[0]!)).toContain('Packaging: tube');
  }

  expect(words((await textOf(cn22))[0]!)).toContain('net weight 1.500 kg');
  expect(words((await textOf(cn23))[0]!)).toContain('Net weight 1.500 kg');
  expect(words((await textOf(invoice))[0]!)).toContain('Net weight 1.500 kg');
});

test('the weights of lines add up to the net weight, which is not above the gross weight, whatever the fractions of grams', async () => {
  const pack = packageOf({
    grossWeightGrams: 180.6,
    items: [60.2, 60.2, 60.2].map((unitWeightGrams, index) => item(index, { quantity: 1, unitWeightGrams })),
  });
  const form = { ...declaration(1), pack };
  for (const pdf of [await renderCn22(form), await renderCn23(form), await renderCommercialInvoice(form)]) {
    const weights = [...words((await textOf(pdf))[0]!).matchAll(/([\d.]+) kg/g)].map(([, kilograms]) =>
      Number(kilograms),
    );
    expect(weights.sort()).toEqual([0.06, 0.06, 0.061, 0.181, 0.181]);
  }
});

test('tax ids name their party and the country that has issued them', async () => {
  const consignment = consignmentTo({ ...CHICAGO, country: 'FR' }, {});
  const receiver = {
    ...consignment.receiver,
    taxIds: { vatNumber: 'XI123456789', iossNumber: 'IM2760000742', federalTaxId: '12' },
  };
  const form = { ...declaration(1), consignment: { ...consignment, receiver } };
  for (const pdf of [await renderCn22(form), await renderCn23(form), await renderCommercialInvoice(form)]) {
    const text = words((await textOf(pdf))[0]!);
    expect(text).toContain('Sender VAT no. (DE) DE123456789');
    for (const id of ['VAT no. (XI) XI123456789', 'IOSS no. (EU) IM2760000742', 'Tax ID (FR) 12'])
      expect(text).toContain(`Receiver ${id}`);
  }
});

test('a CN22 has room for six long lines above its total', async () => {
  const long = declaration(6, {
    description: 'Framed photographic print on archival paper behind acrylic glass, oak frame, 60x90 cm',
  });
  const [text] = await textOf(await renderCn22(long));
  await pagesOf(await renderCn22(long), 'cn22-long');

  expect(text!.match(/oak frame/g)).toHaveLength(6);
});

test('a CN23 has sender and receiver with tax numbers, and a barcode that decodes', async () => {
  const pdf = await renderCn23(declaration(3));
  const [text] = await textOf(pdf);
  const [page] = await pagesOf(pdf, 'cn23');

  expect(words(text!)).toContain('10997 Berlin GERMANY');
  expect(words(text!)).toContain('Chicago IL 60607-1234');
  expect(words(text!)).toContain('Sender VAT no. (DE) DE123456789');
  expect(words(text!)).toContain('119.94 EUR');
  expect(words(text!)).toContain('Page 1 of 1');
  expect((await barcodesIn(page!)).map((code) => code.text)).toEqual(['CA473124829DE']);
  expect(touchesEdge(page!, 20)).toBe(false);
});

test.each([
  ['words ', 'and '],
  ['漢', '字'],
])('the longest addresses, of %s and %s, are complete on the first page of every paper', async (one, other) => {
  const { consignment, ...rest } = declaration(3);
  const party = longAddress(one, other);
  const long = { ...rest, consignment: { ...consignment, sender: party, receiver: party } };
  const [item] = long.pack.items;
  const papers = {
    cn23: await renderCn23(long),
    invoice: await renderCommercialInvoice(long),
    list: await renderPackingList({
      ...{ title: 'Packing list', receiver: party, reference: 'r', packageReferenceId: 'p', items: [item!] },
      ...{ packageNumber: 1, packageCount: 1, date: '2026-01-05' },
    }),
  };
  for (const [name, pdf] of Object.entries(papers)) {
    const [first] = await pagesOf(pdf, `long-${name}`);
    expect(touchesEdge(first!, 12)).toBe(false);
    const [text] = await textOf(pdf);
    const count = (part: string) => text!.split(part).length - 1;
    const parties = name === 'list' ? 1 : 2;
    expect([name, count('9') >= 200 * parties]).toEqual([name, true]);
    expect([name, count(other.trim()) >= (other === '字' ? 700 : 150) * parties]).toEqual([name, true]);
  }
});

test('a CN23 of forty lines has several pages with column titles on each', async () => {
  const pages = await textOf(await renderCn23(declaration(40)));
  await pagesOf(await renderCn23(declaration(40)), 'cn23-long', 2);

  expect(pages.length).toBeGreaterThan(2);
  pages.forEach((text, index) => {
    expect(words(text)).toContain(`Page ${index + 1} of ${pages.length}`);
    expect(text).toContain('Detailed description of contents');
  });
  expect(pages.join(' ').match(/Poster \d+, matte/g)).toHaveLength(40);
  expect(words(pages.at(-1)!)).toContain('1599.20 EUR');
});

test('a commercial invoice of three pages lists every item once and has its totals on the last page', async () => {
  const pdf = await renderCommercialInvoice(declaration(75));
  const pages = await textOf(pdf);
  const pictures = await pagesOf(pdf, 'commercial-invoice', 2);

  expect(pages).toHaveLength(3);
  for (const [index, text] of pages.entries()) expect(words(text)).toContain(`Page ${index + 1} of 3`);
  expect(pages.join(' ').match(/matte paper/g)).toHaveLength(75);
  expect(words(pages[2]!)).toContain('2998.50 EUR');
  expect(words(pages[2]!)).toContain('1.940 kg');
  expect(words(pages[2]!)).toContain('27.000 kg');
  for (const picture of pictures) expect(touchesEdge(picture, 40)).toBe(false);
});

test('a commercial invoice to Japan prints the receiver in Japanese', async () => {
  const pdf = await renderCommercialInvoice({ ...declaration(1), consignment: consignmentTo(TOKYO) });
  const [text] = await textOf(pdf);
  await pagesOf(pdf, 'commercial-invoice-tokyo', 2);

  expect(text).toContain('株式会社サンプル印刷');
  expect(text).toContain('銀座');
});

test('a packing list shows the package, its items and no prices', async () => {
  const place = { packageReferenceId: 'P-1', packageNumber: 1, packageCount: 2, date: '2026-01-05' };
  const pdf = await renderPackingList({
    ...consignmentTo(CHICAGO),
    ...place,
    title: 'Packing list',
    items: items(2),
  });
  const text = words((await textOf(pdf)).join(' '));
  const [page] = await pagesOf(pdf, 'packing-list');

  expect(text).toContain('P-1 Package 1 of 2 Order ORDER-2026-000123');
  expect(text).toContain('Poster 1, matte paper 200 g, 50x70 cm item-1 2');
  expect(text).toContain('Items in this package 4');
  expect(text).not.toContain('EUR');
  expect(text).not.toContain('maria@example.com');
  expect(touchesEdge(page!, 30)).toBe(false);
});

describe('the customer’s invoice', () => {
  const invoice = (
    count: number,
    treatment: CustomerInvoice['treatment'] = 'taxed',
    rates: readonly string[] = [treatment === 'taxed' ? '0.19' : '0'],
  ): CustomerInvoice => {
    const lines = Array.from({ length: count }, (_, index) => ({
      title: `Photo book ${index + 1}, hard cover`,
      reference: `item-${index + 1}`,
      quantity: 1,
      unitMinor: index === 0 ? 1_800 : 2_000,
      netMinor: index === 0 ? 1_800 : 2_000,
      vatRate: rates[index % rates.length]!,
      vatMinor: Math.round((index === 0 ? 1_800 : 2_000) * Number(rates[index % rates.length])),
    }));
    return {
      number: '100001',
      date: '2026-01-05',
      currency: 'EUR',
      treatment,
      seller: { ...BERLIN, taxIds: { vatNumber: 'DE123456789' } },
      buyer: MUNICH,
      orderReference: 'ORDER-1',
      lines,
    };
  };

  test('shows net, VAT and total', async () => {
    const [text] = await textOf(await renderCustomerInvoice(invoice(2)));
    await pagesOf(await renderCustomerInvoice(invoice(2)), 'customer-invoice', 2);

    expect(words(text!)).toContain('Net 38.00 EUR');
    expect(words(text!)).toContain('VAT 19 % 7.22 EUR');
    expect(words(text!)).toContain('Total 45.22 EUR');
  });

  test.each([1, 30, 31, 32, 33, 34, 35, 36, 37, 38, 80, 120])(
    'lists all of %i lines and has its totals on the last page',
    async (count) => {
      const pages = await textOf(await renderCustomerInvoice(invoice(count)));

      expect(pages.join(' ').match(/Photo book \d+,/g)).toHaveLength(count);
      expect(words(pages.at(-1)!)).toContain('VAT 19 %');
      expect(words(pages.at(-1)!)).toContain(`Page ${pages.length} of ${pages.length}`);
    },
  );

  test('states that an export has no VAT', async () => {
    const [text] = await textOf(await renderCustomerInvoice(invoice(1, 'export')));

    expect(words(text!)).toContain('Export of goods: no VAT charged.');
  });

  test('states that the recipient accounts for the VAT', async () => {
    const [text] = await textOf(await renderCustomerInvoice(invoice(1, 'reverse_charge')));

    expect(words(text!)).toContain('Reverse charge: the recipient accounts for the VAT');
    expect(words(text!)).toContain('VAT 0 % 0.00 EUR');
  });

  test('shows the net amount and the VAT of each rate', async () => {
    const pdf = await renderCustomerInvoice(invoice(3, 'taxed', ['0.20', '0']));
    await pagesOf(pdf, 'customer-invoice-rates', 2);
    const [text] = await textOf(pdf);

    expect(words(text!)).toContain('VAT 20 % on 38.00 EUR 7.60 EUR');
    expect(words(text!)).toContain('VAT 0 % on 20.00 EUR 0.00 EUR');
    expect(words(text!)).toContain('Total 65.60 EUR');
    expect(words(text!)).not.toContain('Export of goods');
  });
});
