import type { Express } from 'express';
import pino from 'pino';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { sandboxRoutes } from '../../../api/sandbox';
import type { Sandbox } from '../../../sandbox';
import { BEHAVIOURS } from '../../../sandbox/behaviours';
import {
  printOrder,
  removeFolder,
  type StubPressline,
  sandboxAt,
  sendSigned,
  startStub,
} from '../../../sandbox/test/stub-pressline';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { type TestDatabase, testDatabase } from '../../support/database';

/** Operators control the sandbox through the API. */

let database: TestDatabase;
let stub: StubPressline;
let sandbox: Sandbox;
let folder: string;
let app: Express;
let operator: TestAccount;
let viewer: TestAccount;

const appAt = async (sandboxUrl?: string) => {
  const deps = await testApiDeps(database.sql, sandboxUrl === undefined ? {} : { sandboxUrl });
  return createApp({ ...deps, log: pino({ level: 'silent' }) }, sandboxRoutes(deps), {
    checkResponses: true,
  });
};

beforeAll(async () => {
  database = await testDatabase();
  stub = await startStub();
  ({ sandbox, folder } = await sandboxAt(stub, { mode: 'manual' }));
  app = await appAt(sandbox.url);
  operator = await testAccount(database.sql, 'operator', 'grace', 'operator');
  viewer = await testAccount(database.sql, 'operator', 'viewer', 'viewer');
});
afterAll(async () => {
  await sandbox.stop();
  await stub.stop();
  removeFolder(folder);
});

const path = '/v1/operator/sandbox';
const berlin = `${path}/partners/prints-berlin`;
const overview = async () => (await request(app).get(path).set(viewer.key).expect(200)).body.sandbox;
const send = (to: string, body: object, by = operator) => request(app).post(to).set(by.key).send(body);
const submit = (id: string) =>
  sendSigned(stub, sandbox.partnerUrls('prints-berlin').orderSubmitUrl, printOrder(sandbox, id), {
    webhookId: `msg_${id}`,
  });

test('the overview has behaviours, partners, carriers and files', async () => {
  const { mode, behaviours, partners, carriers, parcels, files, faultyFiles } = await overview();
  expect(mode).toBe('manual');
  expect(behaviours.map(({ name }: { name: string }) => name)).toEqual(Object.keys(BEHAVIOURS));
  expect(partners.map(({ name }: { name: string }) => name)).toEqual(['prints-berlin', 'prints-ohio']);
  expect(carriers).toContainEqual({ uid: 'tern_parcel', labelRefusal: null });
  expect(parcels).toEqual([]);
  expect(files).toContainEqual({
    name: 'poster-a3.pdf',
    url: `${sandbox.url}/files/poster-a3.pdf`,
    summary: null,
    faultStatus: null,
  });
  expect(faultyFiles).toContainEqual({
    name: 'missing.pdf',
    url: `${sandbox.url}/faulty-files/missing.pdf`,
    summary: 'Responds with 404.',
  });
});

test('a behaviour applies to the next print order, and rules are removed', async () => {
  await send(`${berlin}/behaviour`, { behaviour: 'refuses', times: 2 }).expect(200);
  expect((await submit('700')).status).toBe(422);
  const [{ rules, printOrders }] = (await overview()).partners;
  expect(rules).toMatchObject([{ behaviour: 'refuses', contains: null, left: 1 }]);
  expect(printOrders).toMatchObject([{ printOrderId: '700', behaviour: 'refuses' }]);

  await request(app).delete(`${berlin}/behaviour`).set(operator.key).expect(200);
  expect((await overview()).partners[0].rules).toEqual([]);
  expect((await submit('701')).status).toBe(200);

  const unknown = await send(`${berlin}/behaviour`, { behaviour: 'sings' }).expect(400);
  expect(unknown.body.message).toMatch(/unknown behaviour/);
  await send(`${path}/partners/nobody/behaviour`, { behaviour: 'refuses' }).expect(404);
});

test('the sandbox sends postbacks, dispatch requests and scans, and returns the responses', async () => {
  await submit('710');
  const { body } = await send(`${berlin}/postback`, { printOrderId: '710', status: 'received' }).expect(200);
  expect(body).toEqual({ status: 200, body: { message: 'ok' } });
  expect(stub.postbacks('710')).toEqual(['received']);
  expect((await overview()).partners[0].printOrders[0]).toMatchObject({
    printOrderId: '710',
    postbacks: [{ status: 'received', responseStatus: 200 }],
  });
  const dispatched = await send(`${berlin}/dispatch`, { printOrderId: '710' }).expect(200);
  expect(dispatched.body.body.trackingCode).toBe('TRACK710');
  const scan = await send(`${path}/carriers/tern_parcel/events`, {
    trackingNumber: 'TRACK710',
    statusUid: 'in_transit',
  }).expect(200);
  expect(scan.body.status).toBe(200);
});

test('a file responds with a status and a carrier refuses labels, until both are lifted', async () => {
  const fault = `${path}/files/poster-a3.pdf/fault`;
  const labels = `${path}/carriers/tern_parcel/label-fault`;
  await send(fault, { status: 500 }).expect(200);
  await send(labels, { message: 'The depot is full.' }).expect(200);
  const set = await overview();
  expect(set.files).toContainEqual(expect.objectContaining({ name: 'poster-a3.pdf', faultStatus: 500 }));
  expect(set.carriers).toContainEqual({ uid: 'tern_parcel', labelRefusal: 'The depot is full.' });
  await request(app).delete(fault).set(operator.key).expect(200);
  await request(app).delete(labels).set(operator.key).expect(200);
  const lifted = await overview();
  expect(lifted.files).toContainEqual(expect.objectContaining({ name: 'poster-a3.pdf', faultStatus: null }));
  expect(lifted.carriers).toContainEqual({ uid: 'tern_parcel', labelRefusal: null });
  await send(`${path}/files/none.pdf/fault`, { status: 500 }).expect(404);
});

test('without a sandbox, the overview is empty and commands respond with 404', async () => {
  const bare = await appAt();
  expect((await request(bare).get(path).set(viewer.key).expect(200)).body).toEqual({ sandbox: null });
  const command = await request(bare)
    .post(`${berlin}/behaviour`)
    .set(operator.key)
    .send({ behaviour: 'refuses' })
    .expect(404);
  expect(command.body.message).toBe('No sandbox runs with this API.');
});

test('a sandbox that does not respond is 503', async () => {
  const unavailable = await appAt('http://127.0.0.1:9');
  await request(unavailable).get(path).set(viewer.key).expect(503);
});
