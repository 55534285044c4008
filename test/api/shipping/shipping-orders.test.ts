import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { documentRoutes } from '../../../api/documents';
import { shippingRoutes } from '../../../api/routes';
import { isS10, isSscc } from '../../../src/carriers/domain/tracking-numbers';
import { randomToken } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { barcodesIn, pagesOf, textOf } from '../../src/documents/pictures';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { binaryBody } from '../../support/binary-body';
import { testDatabase } from '../../support/database';
import { domesticRequest, internationalRequest } from './shipping-request';
import { startShippingWorker } from './shipping-worker';

let sql: Sql;
let deps: ApiDeps;
let app: Express;
let client: TestAccount;
let partner: TestAccount;
let stopWorker: () => Promise<void>;
const taskQueue = `shipping-${randomToken(6)}`;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  deps = await testApiDeps(sql, { config: { TEMPORAL_TASK_QUEUE: taskQueue } });
  app = createApp(deps, [...shippingRoutes(deps), ...documentRoutes(deps)]);
  client = await testAccount(sql, 'client');
  partner = await testAccount(sql, 'partner');
  stopWorker = await startShippingWorker(deps);
});
afterAll(() => stopWorker());

const order = (body: object, as = client) => request(app).post('/v1/shipping-orders').set(as.key).send(body);
const download = async (url: string) => {
  const response = await request(app).get(new URL(url).pathname).buffer(true).parse(binaryBody);
  return {
    type: response.headers['content-type'] as string,
    name: response.headers['content-disposition'] as string,
    body: response.body as Buffer,
  };
};

test('an order of two packages returns tracking numbers, and labels with these numbers as barcodes', async () => {
  const body = domesticRequest();
  body.packages.push({ ...body.packages[0]!, packageReferenceId: 'pkg-2' });

  const response = await order({ ...body, shippingMethod: { uid: 'corvid_post_parcel' } });

  expect(response.status).toBe(200);
  expect(response.body).toMatchObject({
    orderId: expect.any(String),
    orderReferenceId: body.orderReferenceId,
    shippingMethod: { carrier: 'Corvid Post', uid: 'corvid_post_parcel' },
  });
  expect(response.body.packages).toHaveLength(2);
  for (const [index, pack] of response.body.packages.entries()) {
    expect(pack).toMatchObject({
      packageReferenceId: `pkg-${index + 1}`,
      trackingUrl: expect.stringMatching(/\/track\/[\w-]{22}$/),
      label: { fileName: `label-${pack.trackingNumber}.pdf`, contentType: 'application/pdf' },
      totalCost: { value: 6.19, currency: 'EUR' },
    });
    expect(isS10(pack.trackingNumber)).toBe(true);
    expect(pack.documents).toBeUndefined();
    const label = await download(pack.label.fileUrl);
    expect(label.type).toBe('application/pdf');
    expect(label.name).toContain(pack.label.fileName);
    const [page] = await pagesOf(label.body, 'ordered');
    expect((await barcodesIn(page!)).map(({ text }) => text)).toEqual([pack.trackingNumber]);
  }
});

test('an international order by courier lists the commercial invoice with each package', async () => {
  const response = await order({ ...internationalRequest(), shippingMethod: { tier: 'express', uid: '' } }, partner);

  expect(response.status).toBe(200);
  const [pack] = response.body.packages;
  expect(response.body.shippingMethod).toEqual({ carrier: 'Merlin Express', uid: 'merlin_express_worldwide' });
  expect(isSscc(pack.trackingNumber)).toBe(true);
  expect(pack.documents).toEqual([
    {
      documentType: 'invoice',
      fileName: expect.stringMatching(/^commercial-invoice-.*\.pdf$/),
      fileUrl: expect.any(String),
      contentType: 'application/pdf',
    },
  ]);
  expect((await download(pack.documents[0].fileUrl)).body.subarray(0, 5).toString()).toBe('%PDF-');
});

test('an international order by post has a customs form', async () => {
  const response = await order({
    ...internationalRequest(),
    shippingMethod: { uid: 'corvid_post_tracked_packet' },
  });

  expect(response.body.packages[0].documents).toMatchObject([{ documentType: 'cn22', contentType: 'application/pdf' }]);
});

test.each(['FR', 'NO', 'BR', 'IN'])('a postal label from %s has an S10 number of that country', async (country) => {
  const body = internationalRequest();
  body.sender.address.country = country;

  const response = await order({ ...body, shippingMethod: { uid: 'corvid_post_parcel' } });

  const { trackingNumber } = response.body.packages[0];
  expect(isS10(trackingNumber)).toBe(true);
  expect(trackingNumber.slice(-2)).toBe(country);
});

test('customs forms show the stated net weight and the box type', async () => {
  const formOf = async (change: object) => {
    const body = internationalRequest();
    body.packages = [{ ...body.packages[0], ...change }];
    const response = await order({ ...body, shippingMethod: { uid: 'corvid_post_tracked_packet' } });
    const form = await download(response.body.packages[0].documents[0].fileUrl);
    return (await textOf(form.body)).join(' ').replace(/\s+/g, ' ');
  };

  const [stated, derived] = [await formOf({ netWeight: 700, boxType: 'Tube' }), await formOf({ netWeight: undefined })];

  expect(stated).toContain('net weight 0.700 kg');
  expect(stated).toContain('Packaging: tube');
  expect(derived).toContain('net weight 0.760 kg');
  expect(derived).not.toContain('Packaging');
});

test('customs forms show an IOSS number only where the VAT on the goods is paid by it', async () => {
  const formOf = async (iossNumber: string, value: number, vatNumber?: string) => {
    const { receiver } = domesticRequest();
    const body = { ...internationalRequest(), receiver: { ...receiver, customs: { vatNumber } } };
    body.sender.address = { ...internationalRequest().receiver.address };
    body.sender.customs = { iossNumber };
    body.packages[0]!.value = 2 * value;
    body.packages[0]!.items[0] = { ...body.packages[0]!.items[0], value };
    const response = await order({ ...body, shippingMethod: { uid: 'corvid_post_parcel' } });
    const form = await download(response.body.packages[0].documents[0].fileUrl);
    return (await textOf(form.body)).join(' ');
  };
  expect(await formOf('IM2760000742', 75)).toContain('IM2760000742');
  expect(await formOf('IM2760000742', 75.01)).not.toContain('IM2760000742');
  expect(await formOf('IM2760000742', 75, 'DE136695976')).not.toContain('IM2760000742');
  expect(await formOf('IM27600007', 75)).not.toContain('IM27600007');
});

test('emoji are left out of labels and customs forms', async () => {
  const body = internationalRequest();
  body.receiver.person.lastName = 'Gonzalez \u{1F389}';
  body.receiver.address.addressLine2 = 'Suite \u{1F3E2} 300';
  body.sender.person.company = '\u{1F5A8}\u{FE0F} Druckhaus Spree';
  body.packages[0]!.items[0].description = 'Framed poster \u{1F5BC}\u{FE0F} 30x40 cm';
  const textsOf = async (format: object, uid: string) => {
    const { body: response } = await order({
      ...body,
      orderReferenceId: `emoji-${uid}`,
      options: { label: format },
      shippingMethod: { uid },
    });
    const [pack] = response.packages;
    const urls = [pack.label.fileUrl, pack.documents[0].fileUrl];
    return await Promise.all(urls.map(async (url) => (await download(url)).body));
  };
  const words = async (pdf: Buffer) => (await textOf(pdf)).join(' ').replace(/\s+/g, ' ');

  const [label, cn22] = await textsOf({ format: 'pdf' }, 'corvid_post_tracked_packet');
  const [zpl, invoice] = await textsOf({ format: 'zpl' }, 'tern_parcel_standard');

  expect(await words(label!)).toContain('Maria Gonzalez 1420 W Fulton Market Suite 300');
  expect(await words(label!)).toContain('Druckhaus Spree');
  expect(zpl!.toString('utf8')).toContain('Maria Gonzalez^FS');
  expect(zpl!.toString('utf8')).toContain('Suite 300^FS');
  expect(await words(cn22!)).toContain('Framed poster 30x40 cm');
  expect(await words(invoice!)).toContain('Framed poster 30x40 cm');
});

test('options.label.format zpl returns a ZPL label', async () => {
  const body = { ...domesticRequest(), options: { label: { format: 'zpl' } } };
  const response = await order(body);

  const { label } = response.body.packages[0];
  expect(label).toMatchObject({ contentType: 'application/zpl', fileName: expect.stringMatching(/\.zpl$/) });
  expect((await download(label.fileUrl)).body.toString('utf8')).toMatch(/^\^XA/);
});

test('A4 labels of several packages are one file', async () => {
  const body = domesticRequest();
  body.packages.push({ ...body.packages[0]!, packageReferenceId: 'pkg-2' });
  const response = await order({ ...body, options: { label: { size: 'A4' } } });

  const [first, second] = response.body.packages;
  expect(first.label.fileName).toBe(second.label.fileName);
  const [page] = await pagesOf((await download(first.label.fileUrl)).body, 'ordered-a4');
  expect((await barcodesIn(page!)).map(({ text }) => text.replace(/[()]/g, '')).sort()).toEqual(
    [`00${first.trackingNumber}`, `00${second.trackingNumber}`].sort(),
  );
});

test('one request buys labels for twenty packages', async () => {
  const body = domesticRequest();
  const [pack] = body.packages;
  body.packages = Array.from({ length: 20 }, (_, index) => ({
    ...pack!,
    packageReferenceId: `pkg-${index}`,
  }));

  const response = await order(body);

  expect(response.status).toBe(200);
  const packages: { trackingNumber: string; packageReferenceId: string; label: { fileUrl: string } }[] =
    response.body.packages;
  expect(packages.map(({ packageReferenceId }) => packageReferenceId)).toEqual(
    body.packages.map(({ packageReferenceId }) => packageReferenceId),
  );
  expect(new Set(packages.map(({ trackingNumber }) => trackingNumber)).size).toBe(20);
  expect(new Set(packages.map(({ label }) => label.fileUrl)).size).toBe(20);
});

describe('a reference', () => {
  test('is used once per account, by ten concurrent requests too', async () => {
    const body = domesticRequest();

    const responses = await Promise.all(Array.from({ length: 10 }, () => order(body)));

    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    const refused = responses.find(({ status }) => status === 409)!;
    expect(refused.body).toMatchObject({
      orderReferenceId: body.orderReferenceId,
      code: 'DUPLICATE_ORDER_REFERENCE',
      errors: [{ reference: 'orderReferenceId' }],
    });
    expect(
      await sql`SELECT 1 FROM shipments s JOIN shipping_orders o ON o.id = s.shipping_order_id WHERE o.order_reference_id = ${body.orderReferenceId}`,
    ).toHaveLength(1);
  });

  test('may be used by another account too', async () => {
    const body = domesticRequest();

    expect((await order(body)).status).toBe(200);
    expect((await order(body, partner)).status).toBe(200);
  });

  test('can be used again after a carrier’s refusal', async () => {
    const body = internationalRequest();
    const withoutPhone = structuredClone(body);
    withoutPhone.receiver.person.phone = '';
    const uid = 'merlin_express_worldwide';

    const refused = await order({ ...withoutPhone, shippingMethod: { uid } });
    const corrected = await order({ ...body, shippingMethod: { uid } });

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      code: 'VALIDATION_ERROR',
      errors: [{ code: 'MISSING_FIELD_ERROR', reference: 'receiver.person.phone' }],
    });
    expect(corrected.status).toBe(200);
  });

  test('whose response was lost returns the same labels for the same request, and 409 for another', async () => {
    const body = domesticRequest();
    const first = await order(body);
    await sql`UPDATE shipping_orders SET responded_at = NULL, waiting_until = now() WHERE order_reference_id = ${body.orderReferenceId}`;

    const other = await order({ ...body, currency: 'USD' });
    const again = await order(body);

    expect(other.status).toBe(409);
    expect(again.status).toBe(200);
    expect(again.body.packages[0].trackingNumber).toBe(first.body.packages[0].trackingNumber);
  });
});

test('without Temporal the response is 503, and the same request buys the labels when Temporal is back', async () => {
  const unavailable = await testApiDeps(sql, {
    config: { TEMPORAL_TASK_QUEUE: taskQueue },
    temporalAddress: '127.0.0.1:1',
  });
  const body = domesticRequest();

  const refused = await request(createApp(unavailable, shippingRoutes(unavailable)))
    .post('/v1/shipping-orders')
    .set(client.key)
    .send(body);
  const bought = await order(body);

  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBeDefined();
  expect(refused.body).toMatchObject({ orderReferenceId: body.orderReferenceId, code: 'UNAVAILABLE' });
  expect(bought.status).toBe(200);
});
