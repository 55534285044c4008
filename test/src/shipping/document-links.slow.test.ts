import { rm } from 'node:fs/promises';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { documentRoutes } from '../../../api/documents';
import { createCarriers } from '../../../src/carriers/carriers';
import { collectGarbage, RETENTION_DAYS } from '../../../src/files/retention';
import { uuidv7 } from '../../../src/platform/ids';
import { createObjectStore } from '../../../src/platform/objects/create-object-store';
import type { ObjectStore } from '../../../src/platform/objects/object-store';
import { DOCUMENT_LINK_SECONDS } from '../../../src/platform/objects/signed-links';
import type { Sql } from '../../../src/platform/postgres';
import { documentLink, type ShipmentDocument } from '../../../src/shipping/shipments';
import { testAccount, testApiDeps } from '../../support/api-deps';
import { binaryBody } from '../../support/binary-body';
import { testDatabase } from '../../support/database';
import { insertShippingOrder } from '../../support/rows/shipping-rows';
import { CHICAGO } from '../consignments/sample-addresses';
import { consignmentTo } from '../consignments/sample-consignments';
import { type S3Server, startS3Server, wantsS3Server } from '../platform/objects/s3-server';
import { buyShipment } from './bought-shipment';

/** The life of a shipment's documents in each object store: link, download, expiry of the link, end of retention. */

let s3: S3Server | undefined;
afterAll(() => s3?.stop());

const LOCAL = {
  S3_BUCKET: undefined,
  S3_ENDPOINT: undefined,
  S3_REGION: 'us-east-1',
  S3_FORCE_PATH_STYLE: true,
};
const stores: [string, (dataDir: string) => Promise<ObjectStore>][] = [
  ['a folder', (DATA_DIR) => createObjectStore({ ...LOCAL, DATA_DIR })],
];
if (wantsS3Server()) {
  stores.push([
    'an S3 bucket',
    async (DATA_DIR) => {
      s3 = await startS3Server();
      return await createObjectStore({ ...LOCAL, DATA_DIR, S3_BUCKET: 'shipping-documents', S3_ENDPOINT: s3.endpoint });
    },
  ]);
} else {
  console.warn('Links to S3 are not tested: neither an S3 server binary nor Go is installed.');
}

describe.each(stores)('documents in %s', (_, createStore) => {
  let sql: Sql;
  let deps: ApiDeps;
  let app: Express;
  let accountId: string;
  let dataDir: string;

  beforeAll(async () => {
    ({ sql } = await testDatabase());
    const plain = await testApiDeps(sql);
    dataDir = `${plain.config.DATA_DIR}/linked`;
    deps = { ...plain, objects: await createStore(dataDir) };
    app = createApp(deps, documentRoutes(deps));
    accountId = (await testAccount(sql, 'client')).id;
  }, 900_000);
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  async function boughtDocuments(): Promise<readonly ShipmentDocument[]> {
    const bought = await buyShipment(
      { sql, objects: deps.objects, carriers: createCarriers(sql, 'https://pressline.test') },
      {
        consignment: consignmentTo(CHICAGO),
        methodUid: 'tern_parcel_standard',
        idempotencyKey: uuidv7(),
        owner: await insertShippingOrder(sql, accountId),
      },
    );
    if (!bought.ok) throw new Error(bought.refusal.message);
    return bought.shipment.documents;
  }

  /** Downloads a link as a partner's tool does: it follows redirects and sends no key. */
  async function fetched(link: string): Promise<{
    status: number;
    type: string | undefined;
    disposition: string | undefined;
    body: Buffer;
  }> {
    const response = await request(app).get(link.slice(deps.publicUrl.length)).buffer(true).parse(binaryBody);
    const { location } = response.headers;
    if (response.status !== 302 || location === undefined) {
      const { 'content-type': type, 'content-disposition': disposition } = response.headers;
      return { status: response.status, type, disposition, body: response.body };
    }
    const direct = await fetch(location);
    return {
      status: direct.status,
      type: direct.headers.get('content-type') ?? undefined,
      disposition: direct.headers.get('content-disposition') ?? undefined,
      body: Buffer.from(await direct.arrayBuffer()),
    };
  }

  test('are downloaded by their links with their content type and file name', async () => {
    const documents = await boughtDocuments();

    expect(documents.map(({ documentType }) => documentType)).toEqual(['label', 'commercial_invoice']);
    for (const document of documents) {
      const { status, type, disposition, body } = await fetched(documentLink(deps.links, document));
      expect(status).toBe(200);
      expect(type).toBe('application/pdf');
      expect(disposition).toContain(document.fileName);
      expect(body.subarray(0, 5).toString()).toBe('%PDF-');
      expect(body.length).toBe((await deps.objects.stat(document.objectKey))!.size);
    }
  });

  test('are available by a link for exactly seven days, and not by an altered link', async () => {
    const [label, invoice] = (await boughtDocuments()) as [ShipmentDocument, ShipmentDocument];
    const madeAt = (secondsAgo: number) => documentLink(deps.links, label, new Date(Date.now() - secondsAgo * 1_000));
    const token = (document: ShipmentDocument) => documentLink(deps.links, document).split('/').at(-2)!;
    const [payload] = token(label).split('.') as [string];
    const [, signature] = token(invoice).split('.') as [string, string];

    expect(DOCUMENT_LINK_SECONDS).toBe(7 * 24 * 60 * 60);
    expect((await fetched(madeAt(DOCUMENT_LINK_SECONDS - 60))).status).toBe(200);
    expect((await fetched(madeAt(DOCUMENT_LINK_SECONDS + 1))).status).toBe(410);
    const forged = `${deps.publicUrl}/documents/${payload}.${signature}/label.pdf`;
    expect((await fetched(forged)).status).toBe(403);
  });

  test('are deleted after the retention period, and their links return 410; newer documents stay', async () => {
    const [old, young] = [await boughtDocuments(), await boughtDocuments()];
    await sql`
      UPDATE shipment_documents SET created_at = now() - make_interval(days => ${RETENTION_DAYS + 1})
      WHERE id = ANY(${old.map(({ id }) => id)})`;

    expect(await collectGarbage(sql, deps.objects)).toMatchObject({ shippingDocuments: old.length });

    for (const document of old) {
      expect(await deps.objects.stat(document.objectKey)).toBeNull();
      expect((await fetched(documentLink(deps.links, document))).status).toBe(410);
    }
    for (const document of young) {
      expect((await fetched(documentLink(deps.links, document))).status).toBe(200);
    }
    expect(await collectGarbage(sql, deps.objects)).toMatchObject({ shippingDocuments: 0 });
  });
});
