import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { MESSAGE_SCHEMA_NAMES, messageSchemaRoute, schemaIndexRoute } from '../../../api/partner/message-schemas';
import { CHANGED_DELIVERY, SAMPLE_VARIANTS, samplePrintOrder } from '../../../kits/partner-kit/sample-print-orders';
import { PRINT_ORDER_VERSIONS } from '../../../src/partners/domain/partner-protocol';
import { withRevision } from '../../../src/partners/domain/print-order';
import { projectRoot } from '../../../src/platform/project-root';
import { testApiDeps } from '../../support/api-deps';
import { printOrderProblems, schemaProblems } from '../../support/checks/message-schemas';
import { testDatabase } from '../../support/database';

const GOLDEN = join(projectRoot(), 'test/src/partners/golden');
const text = readFileSync(join(projectRoot(), 'docs/partners.md'), 'utf8');

/** The JSON blocks of a section of docs/partners.md. */
const messages = (heading: string) =>
  [
    ...text
      .split(`## ${heading}\n`)[1]!
      .split('\n## ')[0]!
      .matchAll(/^```json\n(.*?)^```/gms),
  ].map(([, json]) => JSON.parse(json!));

test('the API serves each schema under the address that is its $id', async () => {
  const { sql } = await testDatabase();
  const url = 'https://pressline.test';
  const app = createApp(await testApiDeps(sql), [schemaIndexRoute(url), messageSchemaRoute(url)]);
  const index = await request(app).get('/schemas').expect(200);
  expect(index.body.schemas).toEqual(
    MESSAGE_SCHEMA_NAMES.map((name) => ({ name, title: expect.any(String), url: `${url}/schemas/${name}` })),
  );
  expect(MESSAGE_SCHEMA_NAMES).toContain('print-order-1.1.json');
  for (const name of MESSAGE_SCHEMA_NAMES) {
    const { headers, body } = await request(app).get(`/schemas/${name}`).buffer().parse(asJson).expect(200);
    expect(headers['content-type']).toContain('application/schema+json');
    expect(body).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `https://pressline.test/schemas/${name}`,
      title: expect.any(String),
    });
  }
  await request(app).get('/schemas/print-order-0.9.json').expect(404);
});

// biome-ignore lint/suspicious/noExplicitAny: the types of superagent's parsers
function asJson(response: any, done: (error: Error | null, body: unknown) => void): void {
  let received = '';
  response.on('data', (chunk: Buffer) => {
    received += chunk.toString('utf8');
  });
  response.on('end', () => done(null, JSON.parse(received)));
}

test.each(readdirSync(GOLDEN))('a built print order is valid: %s', (name) => {
  expect(printOrderProblems(JSON.parse(readFileSync(join(GOLDEN, name), 'utf8')))).toEqual([]);
});

test.each(PRINT_ORDER_VERSIONS)('print orders and updates of the conformance check are valid: %s', (version) => {
  let id = 0;
  const deps = { nextId: () => String(++id), version, filesUrl: 'https://pressline.test/files' };
  for (const variant of SAMPLE_VARIANTS) {
    const printOrder = samplePrintOrder(variant, deps);
    expect(printOrderProblems(printOrder.body)).toEqual([]);
    const update = withRevision(printOrder.changed({ delivery: CHANGED_DELIVERY }), 2);
    expect(printOrderProblems(update)).toEqual([]);
  }
});

test('docs/partners.md lists every schema', () => {
  for (const name of MESSAGE_SCHEMA_NAMES) expect(text).toContain(`\`${name}\``);
});

test('the messages of docs/partners.md are valid', () => {
  const [paper, plannedPackage, mounted, apparel] = messages('Receive print orders');
  for (const printOrder of [{ ...paper, packages: [plannedPackage] }, mounted, apparel])
    expect(printOrderProblems(printOrder)).toEqual([]);
  for (const update of messages('Order updates')) expect(printOrderProblems(update)).toEqual([]);
  for (const cancel of messages('Cancel requests'))
    expect(schemaProblems('cancel-request-1.1.json', cancel)).toEqual([]);
  for (const postback of messages('Send postbacks'))
    expect(schemaProblems('status-postback-2.0.json', postback)).toEqual([]);
  const [dispatched] = messages('Dispatch');
  expect(schemaProblems('dispatch-response-2.0.json', dispatched)).toEqual([]);
  const [poll, levels] = messages('Stock');
  expect(schemaProblems('stock-poll-1.0.json', poll)).toEqual([]);
  expect(schemaProblems('stock-levels-1.0.json', levels)).toEqual([]);
});

describe('A message that is not valid', () => {
  const valid = messages('Receive print orders')[0];

  it.each([
    ['without an id', { ...valid, id: undefined }],
    ['with a number as id', { ...valid, id: 500001 }],
    ['of another version', { ...valid, version: '1.0', brandedPackaging: 'x', items: [] }],
    ['without items', { ...valid, items: [] }],
    ['with a day that is none', { ...valid, dispatchDate: '2026-13-01' }],
  ])('is found: a print order %s', (_what, message) => {
    expect(schemaProblems('print-order-1.1.json', JSON.parse(JSON.stringify(message)))).not.toEqual([]);
  });

  it('is found: an update without a revision, or with the first one', () => {
    for (const revision of [undefined, 1])
      expect(schemaProblems('order-update-1.1.json', { ...valid, revision })).not.toEqual([]);
  });
});

test('a message may gain fields', () => {
  const [paper] = messages('Receive print orders');
  expect(printOrderProblems({ ...paper, giftWrap: true })).toEqual([]);
});
