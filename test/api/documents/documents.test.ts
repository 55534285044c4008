import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { documentRoutes } from '../../../api/documents';
import type { CustomerInvoice } from '../../../src/documents/customer-invoice';
import { drawnFrom } from '../../../src/documents/drawn-documents';
import { contentDisposition } from '../../../src/platform/objects/object-store';
import { createLinkSigner } from '../../../src/platform/objects/signed-links';
import { BERLIN } from '../../src/consignments/sample-addresses';
import { textOf } from '../../src/documents/pictures';
import { testApiDeps } from '../../support/api-deps';
import { binaryBody } from '../../support/binary-body';
import { testDatabase } from '../../support/database';

let deps: ApiDeps;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  const { sql } = await testDatabase();
  deps = await testApiDeps(sql);
  app = createApp(deps, documentRoutes(deps));
  await deps.objects.put('labels/1', Buffer.from('%PDF-1.7 label'), { contentType: 'application/pdf' });
});

const target = { objectKey: 'labels/1', contentType: 'application/pdf', fileName: 'Étiquette "1".pdf' };
const pathOf = (url: string) => url.slice(deps.publicUrl.length);
const link = (options: Partial<typeof target> = {}, seconds = 60) =>
  pathOf(deps.links.sign({ ...target, ...options }, { seconds }));

describe('signed links', () => {
  it('serve the document with its name and type, without a key', async () => {
    const response = await request(app).get(link()).buffer(true).parse(binaryBody);
    expect(response.status).toBe(200);
    expect(response.body.toString()).toBe('%PDF-1.7 label');
    expect(response.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '14',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-disposition': `inline; filename="_tiquette _1_.pdf"; filename*=UTF-8''%C3%89tiquette%20_1_.pdf`,
    });
  });

  it('response HEAD', async () => {
    const response = await request(app).head(link());
    expect(response.status).toBe(200);
    expect(response.headers['content-length']).toBe('14');
  });

  it('response 410 after they have expired', async () => {
    const response = await request(app).get(link({}, -1));
    expect(response.status).toBe(410);
    expect(response.body).toMatchObject({ code: 'LINK_EXPIRED' });
  });

  it('response 410 for a deleted document', async () => {
    expect((await request(app).get(link({ objectKey: 'labels/none' }))).status).toBe(410);
  });

  it('response 403 when any character was altered', async () => {
    const url = link();
    const [, , token, name] = url.split('/') as [string, string, string, string];
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const altered = `/documents/${token.slice(0, at)}${other}${token.slice(at + 1)}/${name}`;
      expect((await request(app).get(altered)).status).toBe(403);
    }
    for (let at = 0; at < token.length; at += 1) {
      for (const other of ['A', 'B', '.', '=', '%', '\0', '']) {
        if (token[at] === other) continue;
        expect(deps.links.open(token.slice(0, at) + other + token.slice(at + 1)).ok).toBe(false);
      }
    }
    // The last character has unused bits.
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.replace(token.at(-1)!, '')) {
      expect(deps.links.open(token.slice(0, -1) + last).ok).toBe(false);
    }
  });

  it.each([
    ['another document', { k: 'labels/2' }],
    ['another type', { t: 'text/html' }],
    ['another name', { n: 'x.html' }],
    ['a later expiry', { e: 9_999_999_999 }],
    ['an additional claim', { admin: true }],
  ])('response 403 when rewritten to %s, since the signature covers the whole payload', async (_name, claims) => {
    const [, , token] = link().split('/') as [string, string, string];
    const [payload, mac] = token.split('.') as [string, string];
    const rewritten = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...claims };
    const forged = `${Buffer.from(JSON.stringify(rewritten)).toString('base64url')}.${mac}`;
    expect((await request(app).get(`/documents/${forged}/x.pdf`)).status).toBe(403);
  });

  it('response 403 with the signature of another link', async () => {
    const [one, other] = [link(), link({ fileName: 'other.pdf' })].map((url) => url.split('/')[2]!.split('.'));
    expect((await request(app).get(`/documents/${one![0]}.${other![1]}/x.pdf`)).status).toBe(403);
  });

  it('use the signed file name, whatever name is in the path', async () => {
    const [, , token] = link({ fileName: 'label.pdf' }).split('/');
    const response = await request(app).get(`/documents/${token}/evil.html`);
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(response.headers['content-disposition']).toBe('inline; filename=label.pdf');
  });

  it.each(['x', '.', 'a.b', '..', 'a.b.c', '%00.%00', 'eyJrIjoiYSJ9.', `${'a'.repeat(3000)}.b`])(
    'response 400, 403 or 404 for a malformed token (%s)',
    async (token) => {
      const response = await request(app).get(`/documents/${token}/x.pdf`);
      expect([400, 403, 404]).toContain(response.status);
    },
  );

  it('response 403 when they were signed with another secret', async () => {
    const foreign = createLinkSigner({
      keys: [{ id: 'test', secret: 'another secret of thirty-two characters' }],
      publicUrl: deps.publicUrl,
    });
    expect((await request(app).get(pathOf(foreign.sign(target, { seconds: 60 })))).status).toBe(403);
  });

  it('redirect to a direct link when the object store supports it', async () => {
    const objects = { ...deps.objects, directLink: async (key: string) => `https://bucket.example/${key}` };
    const direct = createApp(deps, documentRoutes({ ...deps, objects }));
    const response = await request(direct).get(link());
    expect(response.status).toBe(302);
    expect(response.headers.location).toBe('https://bucket.example/labels/1');
    expect((await request(direct).get(link({ objectKey: 'labels/none' }))).status).toBe(410);
  });
});

test.each([
  ['a folder', null],
  ['a bucket with direct links', 'https://bucket.example/invoices/1'],
])('an invoice is drawn from the data that is stored in %s', async (_where, directLink) => {
  const invoice: CustomerInvoice = {
    number: '100001',
    date: '2026-01-05',
    currency: 'EUR',
    treatment: 'taxed',
    seller: BERLIN,
    buyer: BERLIN,
    orderReference: 'ORDER-1',
    lines: [],
  };
  const { make, storedAs } = drawnFrom('invoice', () => invoice);
  await deps.objects.put('invoices/1', await make(), { contentType: storedAs });
  const objects = { ...deps.objects, directLink: async () => directLink };
  const fetched = request(createApp(deps, documentRoutes({ ...deps, objects })));
  const response = await fetched
    .get(link({ objectKey: 'invoices/1' }))
    .buffer(true)
    .parse(binaryBody);
  expect([response.status, response.headers['content-type']]).toEqual([200, 'application/pdf']);
  expect(response.headers['content-length']).toBe(String(response.body.length));
  expect((await textOf(new Uint8Array(response.body)))[0]).toContain('Invoice 100001');
});

describe('file names in Content-Disposition', () => {
  it.each([
    ['label.pdf', 'inline; filename=label.pdf'],
    ['a\r\nSet-Cookie: x.pdf', 'inline; filename="a__Set-Cookie: x.pdf"'],
    ['../../etc/passwd', 'inline; filename=.._.._etc_passwd'],
    ['送り状(1).pdf', `inline; filename="___(1).pdf"; filename*=UTF-8''%E9%80%81%E3%82%8A%E7%8A%B6%281%29.pdf`],
    ['bad\ud800.pdf', 'inline; filename=bad_.pdf'],
  ])('%p', (name, header) => expect(contentDisposition('inline', name)).toBe(header));
});
