import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { projectRoot } from '../../../src/platform/project-root';
import { testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

/** How the API serves the files of the web console. */

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
}

const dist = join(projectRoot(), 'dist', 'console');
let app: Express;
let chunks: Readonly<Record<string, Chunk>>;

beforeAll(async () => {
  execFileSync(process.execPath, [join(projectRoot(), 'scripts', 'build', 'build-console.mjs')], {
    stdio: 'pipe',
  });
  chunks = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
  app = createApp(await testApiDeps((await testDatabase()).sql), []);
});

const entry = () => Object.values(chunks).find(({ isEntry }) => isEntry)!;

test.each(['/console', '/console/', '/console/attention', '/console/orders/123'])('%s is the page', async (path) => {
  const { text, headers } = await request(app)
    .get(path)
    .expect(200)
    .expect('Content-Type', /^text\/html/);
  expect(headers['cache-control']).toBe('no-store');
  const policy = headers['content-security-policy']!;
  const [, nonce] = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy)!;
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toContain('unsafe');
  expect(text).toContain(`nonce="${nonce}"`);
  expect(text).not.toContain('__CSP_NONCE__');
  expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=/);
  expect(text).toContain(`src="/console/${entry().file}"`);
});

test('each response has a nonce of its own', async () => {
  const [first, second] = await Promise.all([request(app).get('/console'), request(app).get('/console')]);
  expect(first.headers['content-security-policy']).not.toBe(second.headers['content-security-policy']);
});

test('the files of the build are cached for a year and compressed', async () => {
  const path = `/console/${entry().file}`;
  const { headers, text } = await request(app)
    .get(path)
    .set('Accept-Encoding', 'gzip')
    .expect(200)
    .expect('Content-Type', /javascript/);
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
    vary: 'Accept-Encoding',
  });
  expect(text).toBe(readFileSync(join(dist, entry().file), 'utf8'));
  const plain = await request(app).get(path).set('Accept-Encoding', 'identity').expect(200);
  expect(plain.headers).not.toHaveProperty('content-encoding');
});

test('the entry has React’s production build, also when a test has built it', () => {
  const script = readFileSync(join(dist, entry().file), 'utf8');
  // Texts of errors in the production build, and a call of the development build.
  expect(script).toContain('react.dev/errors/');
  expect(script).not.toContain('console.createTask');
});

test('HEAD has the headers of GET', async () => {
  const { headers } = await request(app).head('/console/orders').expect(200);
  expect(headers['content-type']).toMatch(/^text\/html/);
});

test.each(['/console/assets/missing.js', '/console/assets/..%2findex.html', '/console/assets/'])(
  '%s does not exist',
  async (path) => {
    const { body } = await request(app).get(path).expect(404);
    expect(body).toHaveProperty('requestId');
  },
);

test('other methods are refused', async () => {
  await request(app).post('/console').expect(405).expect('Allow', 'GET, HEAD');
});

test('the first load, signed in, has less than 300 kB of compressed JavaScript', () => {
  const loaded = new Set<string>();
  const load = (key: string) => {
    const { file, imports = [] } = chunks[key]!;
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const name of imports) load(name);
  };
  for (const [key, { isEntry }] of Object.entries(chunks)) if (isEntry) load(key);
  // The screen that the console opens with.
  load('src/screens/today/today-screen.tsx');
  expect(loaded.size).toBeGreaterThan(1);
  const bytes = [...loaded].map((file) => gzipSync(readFileSync(join(dist, file))).length);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
});
