import { ready } from 'zpl-renderer-js';
import { s10, sscc } from '../../../src/carriers/domain/tracking-numbers';
import type { PostalAddress } from '../../../src/consignments/domain/consignment';
import { printableText } from '../../../src/documents/fonts';
import { fitsOnLabel, type LabelContent, layOutLabel } from '../../../src/documents/label-layout';
import { renderLabelPdf, renderLabelZpl } from '../../../src/documents/labels';
import {
  ATHENS,
  BANGKOK,
  BERLIN,
  CHICAGO,
  DUBAI,
  KYIV,
  longAddress,
  MUNICH,
  SEOUL,
  SHANGHAI,
  TEL_AVIV,
  TOKYO,
} from '../consignments/sample-addresses';
import { barcodesIn, pagesOf, pictureOfPng, textOf, touchesEdge } from './pictures';

const postal: LabelContent = {
  carrierName: 'Corvid Post',
  serviceName: 'Tracked Packet',
  mark: 'PACKET',
  sender: BERLIN,
  originCountry: 'DE',
  receiver: MUNICH,
  reference: 'ORDER-2026-000123',
  packageReference: 'pkg-1',
  packageNumber: 1,
  packageCount: 1,
  weightGrams: 1_250,
  date: '2026-01-05',
  routing: 'DE-803',
  barcode: { symbology: 'code128', value: s10('L', 47312482, 'DE') },
};
const courier: LabelContent = {
  ...postal,
  carrierName: 'Tern Parcel',
  serviceName: 'Standard',
  mark: 'STANDARD',
  brandName: 'Northern Walls',
  receiver: CHICAGO,
  packageNumber: 2,
  packageCount: 3,
  routing: 'US-606',
  barcode: { symbology: 'gs1-128', value: sscc('9521101', 1_234_567) },
};
/** Returns an address in the script of its country. */
const at = (country: string, lastName: string, addressLine1: string, city: string): PostalAddress => ({
  ...{ country, lastName, addressLine1, city, firstName: 'A.', postcode: '10000' },
});
const scripts = { TOKYO, DUBAI, ATHENS, KYIV, SEOUL, SHANGHAI, TEL_AVIV, BANGKOK };
const others = [
  at('GE', 'ჭავჭავაძე', '12 რუსთაველის გამზირი', 'თბილისი'),
  at('AM', 'Գրիգորյան', 'Մաշտոցի պողոտա 45', 'Երևան'),
  at('IN', 'शर्मा', '5 महात्मा गांधी मार्ग, स्त्री निकेतन', 'नई दिल्ली'),
  at('BD', 'ব্রাহ্মণ', '১২ ধানমন্ডি রোড, কৃষ্ণনগর', 'ঢাকা'),
  at('IN', 'ஸ்ரீநிவாசன்', '7 அண்ணா சாலை', 'சென்னை'),
  at('LK', 'ක්‍ෂේත්‍රපාල', '3 ශ්‍රී ජයවර්ධනපුර පාර', 'කොළඹ'),
  at('ET', 'ኃይለ', 'ቦሌ መንገድ ፩፪', 'አዲስ አበባ'),
  at('LA', 'ວົງສາ', '9 ຖະໜົນລ້ານຊ້າງ', 'ວຽງຈັນ'),
  at('KH', 'ព្រះនរោត្តម', '22 ផ្លូវច្បារអំពៅ', 'ភ្នំពេញ'),
  at('MV', 'މުޙައްމަދު', '4 މަޖީދީމަގު، ހުޅުމާލެ', 'މާލެ'),
  at('MA', 'ⴰⵎⴰⵣⵉⵖ', '8 ⴰⴱⵔⵉⴷ ⵏ ⵜⵉⴼⵉⵏⴰⵖ', 'ⵕⴱⴰⵟ'),
  at('IN', 'સ્ત્રીવત્સ', '6 કૃષ્ણ માર્ગ', 'અમદાવાદ'),
  at('IN', 'ਸਿੰਘ', '2 ਗੁਰਦੁਆਰਾ ਰੋਡ', 'ਅੰਮ੍ਰਿਤਸਰ'),
  at('IN', 'ಕ್ಷೇತ್ರಪಾಲ', '11 ಮಹಾತ್ಮ ಗಾಂಧಿ ರಸ್ತೆ, ಜ್ಞಾನಭಾರತಿ', 'ಬೆಂಗಳೂರು'),
  at('IN', 'കൃഷ്ണൻ', '14 മഹാത്മാ ഗാന്ധി റോഡ്', 'കൊച്ചി'),
  at('IN', 'శ్రీనివాస్', '16 జ్ఞానం రోడ్డు', 'హైదరాబాద్'),
  at('IN', 'ମହାନ୍ତି', '18 କୃଷ୍ଣ ମାର୍ଗ', 'ଭୁବନେଶ୍ୱର'),
];

describe('PDF labels', () => {
  test.each([
    ['4x6', 'postal', postal, 'Code128', 'LA473124829DE', [288, 432]],
    ['A6', 'postal', postal, 'Code128', 'LA473124829DE', [297, 419]],
    ['4x6', 'courier', courier, 'Code128', '', [288, 432]],
    ['A6', 'courier', courier, 'Code128', '', [297, 419]],
  ] as const)(
    'a %s label of a %s method has the right size, and its barcode decodes',
    async (size, name, label, format, value, [width, height]) => {
      const pdf = await renderLabelPdf([label], size);

      const pages = await pagesOf(pdf, `label-${name}-${size}`);
      expect(pages).toHaveLength(1);
      expect([Math.round(pages[0]!.width / 3), Math.round(pages[0]!.height / 3)]).toEqual([width, height]);
      expect(touchesEdge(pages[0]!, 12)).toBe(false);
      const codes = await barcodesIn(pages[0]!);
      expect(codes).toHaveLength(1);
      expect(codes[0]!.format).toBe(format);
      expect(codes[0]!.text.replace(/[()]/g, '')).toBe(value || `00${courier.barcode.value}`);
    },
  );

  test('an SSCC is a GS1-128 symbol: FNC1 first, bars of 32 mm, modules of at least 0.495 mm, quiet zones of 10 modules', async () => {
    const [page] = await pagesOf(await renderLabelPdf([courier], 'A6'), 'label-sscc', 6);
    const [code] = await barcodesIn(page!);

    expect(code!.symbologyIdentifier).toBe(']C1');
    const points = (pixels: number) => (pixels / 6 / 72) * 25.4;
    const { topLeft, topRight } = code!.position;
    const symbolWidth = points(topRight.x - topLeft.x);
    expect(symbolWidth / 156).toBeGreaterThan(0.49);
    const moduleWidth = symbolWidth / 156;
    expect(points(topLeft.x)).toBeGreaterThan(10 * moduleWidth - 0.1);
    expect(points(page!.width - topRight.x)).toBeGreaterThan(10 * moduleWidth - 0.1);
    const column = topLeft.x + 2;
    let longest = 0;
    for (let y = 0, run = 0; y < page!.height; y++) {
      run = page!.data[(y * page!.width + column) * 4]! < 128 ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    expect(points(longest)).toBeGreaterThanOrEqual(31.8);
  });

  test('show sender, receiver and references, and the country line only for international shipments', async () => {
    const [domestic] = await textOf(await renderLabelPdf([postal]));
    const [abroad] = await textOf(await renderLabelPdf([courier]));

    expect(domestic).toContain('Anneliese Großmann-Müller');
    expect(domestic).toContain('80331 München');
    expect(domestic).not.toContain('GERMANY');
    expect(domestic).toContain('1.25 kg');
    expect(domestic).toContain('2026-01-05');
    expect(domestic).toContain('ORDER-2026-000123');
    expect(abroad).toContain('Chicago IL 60607-1234');
    expect(abroad).toContain('UNITED STATES');
    expect(abroad).toContain('2 of 3');
    expect(abroad).toContain('Northern Walls');
  });

  test('an A4 sheet holds four labels, the fifth is on the next sheet, and every barcode decodes', async () => {
    const labels = Array.from({ length: 5 }, (_, index) => ({
      ...postal,
      packageNumber: index + 1,
      packageCount: 5,
      barcode: { symbology: 'code128' as const, value: s10('C', 30_000_000 + index, 'DE') },
    }));
    const pages = await pagesOf(await renderLabelPdf(labels, 'A4'), 'label-a4');

    expect(pages).toHaveLength(2);
    const found = (await Promise.all(pages.map((page) => barcodesIn(page)))).map((codes) =>
      codes.map(({ text }) => text).sort(),
    );
    expect(found).toEqual([labels.slice(0, 4).map(({ barcode }) => barcode.value), [labels[4]!.barcode.value]]);
  });

  test.each(Object.entries(scripts))('an address in the script of %s is printed completely', async (name, receiver) => {
    const [words] = await textOf(await renderLabelPdf([{ ...courier, receiver }]));
    const [page] = await pagesOf(await renderLabelPdf([{ ...courier, receiver }]), `label-${name.toLowerCase()}`);

    for (const line of Object.values(receiver)) expect(printableText(line)).toBe(line.normalize('NFC'));
    expect(touchesEdge(page!, 12)).toBe(false);
    const letters = (text: string) =>
      [...text.normalize('NFKC')]
        .filter((char) => /\p{L}/u.test(char))
        .sort()
        .join('');
    const printed = letters(words!);
    for (const char of new Set(letters(receiver.lastName!))) expect(printed).toContain(char);
  });

  test('addresses in the scripts of Asia, Africa and the Caucasus are printed completely', async () => {
    const pdf = await renderLabelPdf(others.map((receiver) => ({ ...courier, receiver })));
    if (process.env.PICTURES_DIR !== undefined) await pagesOf(pdf, 'label-scripts');
    const pages = await textOf(pdf);
    for (const [index, { addressLine1, lastName }] of others.entries()) {
      const words = [...`${addressLine1}${lastName}`.normalize('NFKC')].filter((char) => /[\p{L}\p{N}]/u.test(char));
      const printed = pages[index]!.normalize('NFKC');
      expect(words.filter((char) => !printed.includes(char))).toEqual([]);
    }
  });

  test('a letter is copied as itself after a label with a letter that has it as a part', async () => {
    await renderLabelPdf([{ ...courier, reference: 'ӹ' }]);
    const [words] = await textOf(await renderLabelPdf([{ ...courier, reference: 'ы' }]));

    expect(words).toContain('Ref. ы');
  });

  test.each([
    ['W', 'M '],
    ['漢', '字'],
  ])('the longest address that the field limits allow, of %s and %s, stays inside its box', async (one, other) => {
    const receiver = {
      ...longAddress(one, other),
      addressLine3: one.repeat(255),
      street: other.repeat(255).slice(0, 255),
      houseNumber: '9'.repeat(100),
      suburb: one.repeat(100),
    };
    expect(fitsOnLabel(receiver)).toBe(false);
    const label = { ...courier, sender: receiver, receiver };
    const [page] = await pagesOf(await renderLabelPdf([label]), 'label-longest');
    const elements = layOutLabel(label, { width: 288, height: 432 });
    const lines = elements.filter((element) => element.kind === 'text').sort((a, b) => a.y - b.y);
    const rules = elements.flatMap((element) => (element.kind === 'bar' && element.height === 1 ? [element.y] : []));

    for (const line of lines) {
      const next = rules.find((y) => y > line.y) ?? 432;
      expect(line.y + line.size).toBeLessThanOrEqual(next + 0.5);
    }

    expect(touchesEdge(page!, 12)).toBe(false);
    expect((await barcodesIn(page!)).map(({ text }) => text.replace(/[()]/g, ''))).toEqual([
      `00${courier.barcode.value}`,
    ]);
  });
});

test('an address of the usual length can be read on a label, one of many lines cannot', () => {
  const lines = (count: number) => 'Torstraße 1 im Hinterhof links '.repeat(count * 2);
  expect(fitsOnLabel({ ...MUNICH, addressLine1: 'x'.repeat(255) })).toBe(true);
  expect(fitsOnLabel({ ...MUNICH, addressLine2: lines(8) })).toBe(true);
  expect(fitsOnLabel({ ...MUNICH, addressLine2: lines(20) })).toBe(false);
  expect(fitsOnLabel({ ...MUNICH, addressLine1: '漢'.repeat(255), addressLine2: '字'.repeat(255) })).toBe(false);
});

describe('characters that no font can print', () => {
  const receiver = {
    ...MUNICH,
    firstName: 'Anna\u{1F389}',
    lastName: '\u{1F469}\u{200D}\u{1F3A8} Mu\u{308}ller',
    addressLine2: '\u{12000}\u{1F1E9}\u{1F1EA}',
  };

  test.each([
    ['Anna \u{1F389} Maria', 'Anna Maria'],
    ['\u{1F469}\u{200D}\u{1F3A8} Ann', 'Ann'],
    ['1\u{FE0F}\u{20E3} Main Street', '1 Main Street'],
    ['Ann\u0007 Lee', 'Ann Lee'],
    ['Mu\u{308}ller', 'M\u00fcller'],
    ['\u{12000}', ''],
    ['a  b · c', 'a  b · c'],
    ['Sender’s   name', 'Sender’s   name'],
    ['می\u{200C}خواهم', 'می\u{200C}خواهم'],
    ['ක්\u{200D}ෂ', 'ක්\u{200D}ෂ'],
    ['ก\u{200B}ข', 'กข'],
  ])('%j is printed as %j', (text, printed) => {
    expect(printableText(text)).toBe(printed);
  });

  test('are left out of PDF and ZPL labels, without empty lines', async () => {
    const label = { ...postal, receiver };
    const [text] = await textOf(await renderLabelPdf([label]));
    await pagesOf(await renderLabelPdf([label]), 'label-emoji');
    const lines = layOutLabel(label, { width: 288, height: 432 }).flatMap((element) =>
      element.kind === 'text' ? [element.text] : [],
    );

    expect(text).toContain('Anna Müller');
    expect(lines).toContain('Anna Müller');
    expect(lines).not.toContain('');
    expect(renderLabelZpl([label]).toString('utf8')).toContain('Anna Müller');
    expect(await barcodesIn((await pagesOf(await renderLabelPdf([label]), 'emoji'))[0]!)).toHaveLength(1);
  });
});

/** A ZPL renderer compiled to WebAssembly and a barcode reader take seconds of CPU. */
const RENDERING_TIMEOUT_MS = 60_000;

describe('ZPL labels', () => {
  const rendered = async (label: LabelContent, name: string) => {
    const { api } = await ready;
    const png = await api.zplToBase64Async(renderLabelZpl([label]).toString('utf8'), 101.6, 152.4, 8);
    return await pictureOfPng(Buffer.from(png, 'base64'), name);
  };

  test.each([
    ['postal', postal, 'LA473124829DE'],
    ['courier', courier, `00${courier.barcode.value}`],
  ] as const)(
    'a %s label renders on 4x6 in stock, and its barcode decodes',
    async (name, label, value) => {
      const picture = await rendered(label, `zpl-${name}`);

      expect(touchesEdge(picture, 4)).toBe(false);
      const codes = await barcodesIn(picture);
      expect(codes.map(({ text }) => text.replace(/[()]/g, ''))).toEqual([value]);
      if (name === 'courier') expect(codes[0]!.symbologyIdentifier).toBe(']C1');
    },
    RENDERING_TIMEOUT_MS,
  );

  test('text in other scripts is sent as a picture', async () => {
    const zpl = renderLabelZpl([{ ...courier, receiver: TOKYO }]).toString('utf8');

    expect(zpl.match(/\^GFA,/g)!.length).toBeGreaterThanOrEqual(4);
    expect(zpl).not.toContain('山田');
    expect(await barcodesIn(await rendered({ ...courier, receiver: TOKYO }, 'zpl-tokyo'))).toHaveLength(1);
    expect(await barcodesIn(await rendered({ ...courier, receiver: DUBAI }, 'zpl-dubai'))).toHaveLength(1);
  });

  test('text of clients cannot contain printer commands', async () => {
    const zpl = renderLabelZpl([{ ...courier, reference: '^XZ~JR_5E' }]).toString('utf8');

    expect(zpl.match(/\^XZ/g)).toHaveLength(1);
    expect(zpl).not.toContain('~JR');
    expect(zpl).toContain('_5EXZ_7EJR_5F5E');
  });

  test('several labels are several formats in one file', () => {
    expect(renderLabelZpl([postal, courier]).toString('utf8').match(/\^XA/g)).toHaveLength(2);
  });
});
