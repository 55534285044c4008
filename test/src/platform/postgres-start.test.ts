import pino from 'pino';
import { type CutProxy, startCutProxy } from '../../../bench/faults/cut-proxy';
import { freePort } from '../../../src/platform/embedded/ports';
import { untilPostgresAnswers } from '../../../src/platform/postgres';
import { testDatabase } from '../../support/database';

const lines: { msg: string }[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
let url: string;
let proxy: CutProxy | undefined;

beforeAll(async () => {
  ({ url } = await testDatabase());
});
afterAll(() => proxy?.close());

test('waits for a server that comes up later, and logs it once', async () => {
  const port = await freePort();
  const there = untilPostgresAnswers(Object.assign(new URL(url), { port: String(port) }).href, log);
  let isThere = false;
  void there.then(() => {
    isThere = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(isThere).toBe(false);
  proxy = await startCutProxy(port, () => [Number(new URL(url).port)]);
  await there;
  expect(lines.map(({ msg }) => msg)).toEqual(['Postgres is not available yet']);
});

test('a database that does not exist fails at once', async () => {
  const elsewhere = Object.assign(new URL(url), { pathname: '/no-such-database' }).href;
  await expect(untilPostgresAnswers(elsewhere, log)).rejects.toMatchObject({ code: '3D000' });
});
