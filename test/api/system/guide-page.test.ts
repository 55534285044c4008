import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type ErrorRequestHandler } from 'express';
import request from 'supertest';
import { guidePage } from '../../../api/system/docs-page';

/** How the API serves the documentation site. */

const folder = mkdtempSync(join(tmpdir(), 'pressline-guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sendMessage: ErrorRequestHandler = (error, _req, res, _next) => void res.status(error.status).send(error.message);
const app = express().use('/guide', guidePage(folder)).use(sendMessage);

test('the guide says how to build it, and has its pages once they are built', async () => {
  const { text } = await request(app).get('/guide/').expect(404);
  expect(text).toContain('npm run docs');

  const script = 'document.documentElement.classList.add("dark")';
  writeFileSync(
    join(folder, 'index.html'),
    `<script id="a">${script}</script><script type="module" src="/x.js"></script>`,
  );
  writeFileSync(join(folder, 'orders.html'), 'Orders');
  const hash = createHash('sha256').update(script).digest('base64');
  const { headers } = await request(app).get('/guide/').expect(200);
  expect(headers['content-security-policy']).toContain(`script-src 'self' 'sha256-${hash}';`);
  await request(app).get('/guide/orders.html').expect(200, 'Orders');
  await request(app).get('/guide').expect(301).expect('Location', '/guide/');
});
