import type { Route } from '../../api/http/route';
import { allRoutes } from '../../api/routes';
import { named, order } from '../api/orders/sample-orders';
import { FOREIGN_MARK, fuzzSubject, type Sender, type Subject } from '../fuzz/subject';
import { validBodies } from '../fuzz/valid-bodies';

/**
 * For another account's object, the response is 404 and equals the response for an unknown id. The list of routes drives these
 * tests: a route that names an object of an account must be tested here, or be listed in `SHARED` with its reason.
 */

/** Routes for clients or partners whose path names no object of an account. */
const SHARED: Readonly<Record<string, string>> = {
  listAttributeValues: 'attributes are the catalog’s, for all',
  getProduct: 'a productUid names values of the catalog, and the error names the one at fault',
};

let subject: Subject;
let routes: Route[];

beforeAll(async () => {
  subject = await fuzzSubject();
  routes = allRoutes(subject.deps);
});
afterAll(() => subject.stop());

async function call(route: Route, sender: Sender, path: string, body?: object) {
  const response = await fetch(`${subject.server.url}${path}`, {
    method: route.method.toUpperCase(),
    headers: {
      ...subject.headers[sender],
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const forClients = () =>
  routes.filter(
    ({ access, path, operationId }) =>
      'roles' in access && access.roles.includes('client') && path.includes('{') && !(operationId in SHARED),
  );

/** Returns the route's path with the given ids, or undefined when an id for a parameter is missing. */
function pathWith(route: Route, ids: Readonly<Record<string, string[]>>): string | undefined {
  let missing = false;
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name]?.[0];
    missing ||= id === undefined;
    return encodeURIComponent(id ?? '');
  });
  return missing ? undefined : path;
}

/** Returns a response without the parts that differ between requests: the request id and the requested id. */
const likeness = (text: string, id: string) => text.replace(/"requestId":"[^"]+"/, '').replaceAll(id, 'ID');

test('no route finds another client’s objects', async () => {
  const bodies = validBodies(subject);
  const before = await subject.foreignState();
  const tried: string[] = [];
  for (const route of forClients()) {
    const body = route.body === undefined ? undefined : (bodies[route.operationId]?.[0] ?? {});
    const foreign = pathWith(route, subject.foreign);
    expect([route.operationId, foreign]).not.toEqual([route.operationId, undefined]);
    const response = await call(route, 'client', foreign!, body);
    expect([route.operationId, response.status]).toEqual([route.operationId, 404]);
    expect(response.text).not.toContain(FOREIGN_MARK);

    const nobodys = Object.fromEntries(
      Object.keys(subject.foreign).map((name) => [name, ['01a1fc21-0000-7000-8000-000000000000']]),
    );
    const none = await call(route, 'client', pathWith(route, nobodys)!, body);
    const plain = (text: string, from: Readonly<Record<string, string[]>>) =>
      Object.values(from)
        .flat()
        .reduce((seen, one) => likeness(seen, one), text);
    expect(plain(response.text, subject.foreign)).toBe(plain(none.text, nobodys));
    tried.push(route.operationId);
  }
  expect(tried).toEqual(expect.arrayContaining(['getOrder', 'getTracking', 'deleteWebhook', 'updateCustomerProduct']));
  expect(await subject.foreignState()).toBe(before);
});

test('the same routes find the client’s own objects', async () => {
  for (const route of forClients().filter(({ method }) => method === 'get')) {
    const { status } = await call(route, 'client', pathWith(route, subject.own)!);
    expect([route.operationId, status]).toEqual([route.operationId, 200]);
  }
});

test('a partner finds no parcels of clients that it does not print for', async () => {
  const forPartners = routes.filter(
    ({ access, path }) => 'roles' in access && access.roles.includes('partner') && path.includes('{'),
  );
  expect(forPartners.map(({ operationId }) => operationId)).toContain('getTracking');
  for (const route of forPartners) {
    const path = pathWith(route, subject.foreign);
    expect([route.operationId, path]).not.toEqual([route.operationId, undefined]);
    const { status, text } = await call(route, 'partner', path!, route.body === undefined ? undefined : {});
    expect([route.operationId, status]).toEqual([route.operationId, 404]);
    expect(text).not.toContain(FOREIGN_MARK);
  }
});

test('a delivery is found only under its own endpoint', async () => {
  const route = routes.find(({ operationId }) => operationId === 'getWebhookDelivery')!;
  const mixed = { webhookId: subject.own.webhookId!, deliveryId: subject.foreign.deliveryId! };
  expect((await call(route, 'client', pathWith(route, mixed)!)).status).toBe(404);
});

test('lists and searches return own objects only, with any filter', async () => {
  const list = (operationId: string) => routes.find((route) => route.operationId === operationId)!;
  const search = list('searchOrders');
  for (const body of [
    {},
    { ids: subject.foreign.orderId },
    { orderReferenceIds: subject.foreign.orderId },
    { emails: ['ada@example.com'] },
  ]) {
    const { status, text } = await call(search, 'client', search.path, body);
    expect(status).toBe(200);
    expect(text).not.toContain(FOREIGN_MARK);
    for (const id of subject.foreign.orderId!) expect(text).not.toContain(id);
  }
  for (const path of [
    '/product/v1/customer-products',
    `/product/v1/customer-products?customerProductIds=${subject.foreign.customerProductId!.join()}`,
    `/product/v1/customer-products?search=${FOREIGN_MARK}`,
    '/v1/webhooks',
  ]) {
    const { status, text } = await call(list('listWebhooks'), 'client', path);
    expect(status).toBe(200);
    expect(text).not.toContain(FOREIGN_MARK);
  }
});

test('a partner finds its own print orders only', async () => {
  const [own, foreign] = subject.printOrders as [string, string];
  const [job, foreignJob] = [subject.jobs[0]!, subject.jobs.at(-1)!];
  const status = routes.find(({ operationId }) => operationId === 'postOrderStatus')!;
  const dispatch = routes.find(({ operationId }) => operationId === 'dispatchOrder')!;
  const postback = (orderId: string, more: object = {}) =>
    call(status, 'partner', status.path, {
      orderId,
      status: 'received',
      timestamp: '2026-01-05T10:00:00Z',
      ...more,
    });

  expect((await postback(own, { orderItemId: job })).status).toBe(200);
  expect((await postback(own, { orderItemId: foreignJob })).status).toBe(400);
  const [refused, none] = [await postback(foreign), await postback('999999999')];
  expect([refused.status, none.status]).toEqual([404, 404]);
  expect(likeness(refused.text, foreign)).toBe(likeness(none.text, '999999999'));
  expect((await call(dispatch, 'partner', dispatch.path, { orderId: foreign })).status).toBe(404);
});

test('a partner sees its own stock only', async () => {
  const adjust = routes.find(({ operationId }) => operationId === 'adjustStock')!;
  const before = await subject.foreignState();
  const { status, text } = await call(adjust, 'partner', adjust.path, {
    adjustments: [{ partnerSku: 'tee-navy-m', adjustmentType: 'consume', quantity: 1 }],
  });
  expect(status).toBe(200);
  expect(JSON.parse(text).updates).toMatchObject([{ partnerSku: 'tee-navy-m', success: false }]);
  const list = routes.find(({ operationId }) => operationId === 'listInventory')!;
  const everything = await call(list, 'partner', list.path, {});
  expect(everything.text).toContain('frame-wood-black-a4');
  expect(everything.text).not.toContain('tee-navy-m');
  expect(await subject.foreignState()).toBe(before);
});

test('references and products of another client have no effect', async () => {
  const submit = routes.find(({ operationId }) => operationId === 'submitOrder')!;
  const taken = subject.foreign.orderId!.at(-1)!;
  // A reference of the other client is unused for this client.
  const { status } = await call(
    submit,
    'client',
    submit.path,
    order({ orderReferenceId: taken, preventDuplicate: true }),
  );
  expect(status).toBe(200);
  // A product for the other client only gets the same response as an unknown product.
  const byName = (productName: string) =>
    call(submit, 'client', submit.path, order({ items: [named({ productName, productVariant: { size: 'M' } })] }));
  const [foreign, none] = [await byName(`tee ${FOREIGN_MARK}`), await byName('tee of nobody')];
  expect([foreign.status, none.status]).toEqual([400, 400]);
  expect(likeness(foreign.text, FOREIGN_MARK)).toBe(likeness(none.text, 'of nobody'));
});
