import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../../test/support/eventually';
import { type LoadBalancer, startLoadBalancer } from '../../rehearsal/load-balancer';

let isReady: boolean[];
let targets: Server[];
let balancer: LoadBalancer;
let url: string;

beforeEach(async () => {
  isReady = [true, true];
  targets = await Promise.all(isReady.map((_, index) => startTarget(index)));
  balancer = await startLoadBalancer(
    0,
    targets.map((target) => (target.address() as AddressInfo).port),
  );
  url = `http://127.0.0.1:${balancer.port}`;
  await untilTargets([0, 1]);
});
afterEach(async () => {
  await balancer.close();
  for (const target of targets) {
    target.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
  }
});

/** Responds with its number and the body of the request; `/broken` with 500. */
async function startTarget(index: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/readyz') response.writeHead(isReady[index] ? 200 : 503).end();
    else {
      response.writeHead(request.url?.startsWith('/broken') ? 500 : 200, { 'x-target': String(index) });
      request.pipe(response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const targetOf = async () => Number((await fetch(url)).headers.get('x-target'));

/** Waits until requests reach exactly these targets. */
async function untilTargets(wanted: readonly number[]): Promise<void> {
  await eventually(async () => {
    const seen = new Set(await Promise.all(Array.from({ length: 8 }, targetOf)));
    return JSON.stringify([...seen].sort()) === JSON.stringify(wanted) ? true : undefined;
  });
}

test('a request reaches a target with its body, and each target gets requests', async () => {
  const response = await fetch(`${url}/echo`, { method: 'POST', body: 'hello' });
  expect(await response.text()).toBe('hello');
});

test('a target that is not ready gets no requests until it is ready again', async () => {
  isReady[0] = false;
  await untilTargets([1]);
  isReady[0] = true;
  await untilTargets([0, 1]);
  expect(balancer.failed).toEqual([]);
});

test('a request to a target that has just ended is passed to another one', async () => {
  const [first] = targets;
  first!.closeAllConnections();
  await new Promise((resolve) => first!.close(resolve));
  const seen = await Promise.all(Array.from({ length: 8 }, targetOf));
  expect(new Set(seen)).toEqual(new Set([1]));
  expect(balancer.failed).toEqual([]);
});

test('responses of status 5xx are recorded without the query', async () => {
  await fetch(`${url}/broken?secret=1`);
  await eventually(async () => balancer.failed[0]);
  expect(balancer.failed).toMatchObject([{ request: 'GET /broken', status: 500 }]);
});
