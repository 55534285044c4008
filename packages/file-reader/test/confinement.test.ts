import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { confined, whyNotConfined } from '../confinement';

/** What a hostile print file could do that has taken over the process that opens it. */

const allowed = mkdtempSync(join(tmpdir(), 'pressline-allowed-'));
const secret = mkdtempSync(join(tmpdir(), 'pressline-secret-'));
const listener = createServer((socket) => socket.end());

beforeAll(async () => {
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  writeFileSync(join(allowed, 'print-file'), 'a print file');
  writeFileSync(join(secret, 'credentials'), 'a secret');
});

afterAll(() => {
  listener.close();
  for (const folder of [allowed, secret]) rmSync(folder, { recursive: true });
});

/** Runs the program with Node, and returns what it prints: for each attempt 'done' or the code of its error. */
async function attempts(isConfined: boolean): Promise<Record<string, string>> {
  const { port } = listener.address() as { port: number };
  const program = `
    const { readFileSync, writeFileSync } = require('node:fs');
    const { spawnSync } = require('node:child_process');
    const { createSocket } = require('node:dgram');
    const { connect } = require('node:net');
    const outcomes = {};
    const attempt = (name, act) => {
      try { act(); outcomes[name] = 'done'; } catch (error) { outcomes[name] = error.code; }
    };
    const emitted = (name, emitter, event, close) => new Promise((resolve) => {
      emitter.once(event, () => { outcomes[name] = 'done'; emitter[close](); resolve(); });
      emitter.once('error', (error) => { outcomes[name] = error.code; resolve(); });
    });
    attempt('read the print file', () => readFileSync(${JSON.stringify(join(allowed, 'print-file'))}));
    attempt('read another file', () => readFileSync(${JSON.stringify(join(secret, 'credentials'))}));
    attempt('read the secrets of its parent', () => readFileSync('/proc/' + process.ppid + '/environ'));
    attempt('write a file', () => writeFileSync(${JSON.stringify(join(allowed, 'written'))}, ''));
    attempt('signal its parent', () => process.kill(process.ppid, 0));
    attempt('start a program', () => { const { error } = spawnSync('/usr/bin/env'); if (error) throw error; });
    Promise.all([
      emitted('connect', connect(${port}, '127.0.0.1'), 'connect', 'destroy'),
      emitted('resolve a name', createSocket('udp4').bind(0), 'listening', 'close'),
    ]).then(() => console.log(JSON.stringify(outcomes)));`;
  const node = [process.execPath, '--eval', program];
  const [command, ...args] = isConfined ? confined(node, [allowed]) : node;
  const { stdout } = await promisify(execFile)(command!, args, { env: { HOME: '/' } });
  return JSON.parse(stdout);
}

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a confined process reads the print files, and can do nothing else', async () => {
  expect(await whyNotConfined()).toBeNull();
  const unconfined = await attempts(false);
  expect(new Set(Object.values(unconfined))).toEqual(new Set(['done']));
  expect(await attempts(true)).toEqual({
    'read the print file': 'done',
    'read another file': 'EACCES',
    'read the secrets of its parent': 'EACCES',
    'write a file': 'EACCES',
    'signal its parent': 'EPERM',
    'start a program': 'EACCES',
    connect: 'EACCES',
    'resolve a name': 'EACCES',
  });
});
