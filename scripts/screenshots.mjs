/**
 * Takes the screenshots of the documents from a running stack, with Chromium.
 *
 *   npm run demo                  in one terminal
 *   npm run screenshots           in another
 *
 * DATA_DIR names the data folder of the stack (default .data). CHROMIUM_PATH names the browser; by default the script looks
 * for chromium, chromium-browser and google-chrome on the PATH (Debian: apt-get install chromium).
 */
import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const images = join(root, 'docs', 'images');
const VIEWPORT = { width: 1440, height: 900 };
/** As root, Chromium runs only without its sandbox. The other flags stop its connections to outside hosts. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Returns the path of a browser. @throws Error that says how to get one */
function browserPath() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not in this folder.
      }
    }
  }
  throw new Error('No Chromium found. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.');
}

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
const browser = await chromium.launch({ executablePath: browserPath(), args: FLAGS });
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
