import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually';
import { nodeProcess, reasonIn, type Supervised, supervise } from '../../faults/supervisor';

let folder: string;
let process_: Supervised | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pressline-supervisor-'));
});
afterEach(async () => {
  await process_?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(script: string): Promise<Supervised> {
  const path = join(folder, 'script.js');
  await writeFile(path, script);
  process_ = await supervise('worker-1', nodeProcess(path, [], process.env, join(folder, 'log')));
  return process_;
}

test('a process that ends by itself is started again, and its reason is kept', async () => {
  const running = await run(`
    console.log('{"level":40,"msg":"a warning"}');
    throw new Error('write CONNECTION_CLOSED');`);
  await eventually(async () => (running.unexpectedExits.length >= 2 ? true : undefined));
  expect(running.unexpectedExits.slice(0, 2)).toEqual([
    'exit code 1: Error: write CONNECTION_CLOSED',
    'exit code 1: Error: write CONNECTION_CLOSED',
  ]);
});

test('an injected kill is not an unexpected end', async () => {
  const running = await run(`console.log('started'); setInterval(() => undefined, 1000);`);
  const starts = (count: number) =>
    eventually(async () => {
      const text = await readFile(join(folder, 'log'), 'utf8');
      return text.split('started').length - 1 >= count ? true : undefined;
    });
  await starts(1);
  running.kill(0);
  await starts(2);
  expect(running.unexpectedExits).toEqual([]);
});

test.each([
  [
    '{"level":60,"msg":"a part ended","err":{"message":"no server"}}\n{"level":30,"msg":"bye"}\n',
    'a part ended: no server',
  ],
  [
    '{"level":50,"msg":"x"}\nconnect the worker: gave up after 300 s: refused\n',
    'connect the worker: gave up after 300 s: refused',
  ],
  ['file.js:1\nthrow a;\n\nTypeError: a\n    at b (c)\n\nNode.js v24.0.0\n', 'TypeError: a'],
  ['', 'it logged nothing'],
])('the reason of an exit is found in the log %j', (output, reason) => {
  expect(reasonIn(output)).toBe(reason);
});
