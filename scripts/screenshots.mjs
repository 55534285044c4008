/**
 * Takes the screenshots of the documents from a running stack, with Chromium.
 *
 *   npm run demo                  in one terminal
 *   npm run screenshots           in another
 *
 * DATA_DIR names the data folder of the stack (default .data). CHROMIUM_PATH names the browser; by default the script looks
 * for an installed one (scripts/browser.mjs).
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { BROWSER_FLAGS, browserPath } from './browser.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const images = join(root, 'docs', 'images');
const VIEWPORT = { width: 1440, height: 900 };

/** Returns the id of the newest order of the demo shop. */
async function newestOrder({ baseUrl, client }) {
  const response = await fetch(`${baseUrl}/v1/orders/search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': `${client.apiKey}:${client.apiSecret}` },
    body: '{}',
  });
  const { orders } = await response.json();
  if (!response.ok || orders.length === 0)
    throw new Error('The stack has no order. Start it with npm run demo.');
  return orders[0].id;
}

const dataDir = process.env.DATA_DIR ?? join(root, '.data');
const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
const orderId = await newestOrder(credentials);

mkdirSync(images, { recursive: true });
const browser = await chromium.launch({ executablePath: browserPath(), args: BROWSER_FLAGS });
try {
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: 'light' });
  const address = new URL(
    `namespaces/default/workflows/order-${orderId}`,
    `${credentials.temporalUiUrl.replace(/\/$/, '')}/`,
  );
  await page.goto(address.href, { waitUntil: 'load' });
  await page.getByText(`order-${orderId}`).first().waitFor();
  // The page loads the history after the summary.
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.screenshot({ path: join(images, 'order-run.png') });
  console.log(`docs/images/order-run.png: ${page.url()}`);
} finally {
  await browser.close();
}
