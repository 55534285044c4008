/**
 * Takes screenshots of a running stack with Chromium.
 *
 *   npm run demo                  in one terminal
 *   npm run screenshots           in another
 *
 * Every screen of the console is taken at two widths, light and dark, into out/screenshots, which is not committed. Those of
 * the documents are also written to docs/images. DATA_DIR names the data folder of the stack (default .data). CHROMIUM_PATH
 * names the browser; by default the script looks for an installed one (scripts/browser.mjs).
 */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { BROWSER_FLAGS, browserPath } from './browser.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const images = join(root, 'docs', 'images');
const all = join(root, 'out', 'screenshots');
const WIDTHS = [1440, 800];
const SCHEMES = ['light', 'dark'];
/** Images of the documents: the screenshot that each is a copy of. */
const DOCUMENTED = {
  'console-today.png': 'today-1440-light.png',
  'console-order.png': 'order-1440-light.png',
  'console-attention.png': 'attention-1440-light.png',
  'console-stock.png': 'stock-1440-dark.png',
};

/** Returns the newest order of the demo shop. */
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

/** Waits until a screen of the console shows what it has read, with its images. */
async function settle(page) {
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
}

/** Takes every screen of the console. */
async function takeConsole(browser, { baseUrl, operator }, orderId) {
  for (const colorScheme of SCHEMES) {
    const context = await browser.newContext({
      baseURL: baseUrl,
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: WIDTHS[0], height: 900 },
    });
    const page = await context.newPage();
    const shoot = async (name) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const file = `${name}-${width}-${colorScheme}.png`;
        await page.screenshot({ path: join(all, file) });
        console.log(`out/screenshots/${file}: ${page.url()}`);
      }
      await page.setViewportSize({ width: WIDTHS[0], height: 900 });
    };
    await page.goto('/console/today');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await shoot('sign-in');
    const signedIn = await context.request.post('/v1/operator/session', {
      data: { apiKey: operator.apiKey },
    });
    if (!signedIn.ok()) throw new Error(`The operator could not sign in: ${signedIn.status()}`);
    await page.goto('/console/today');
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await links.first().waitFor();
    const screens = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')));
    for (const address of [...screens, `/console/orders/${orderId}`]) {
      await page.goto(address);
      await settle(page);
      await shoot(address.endsWith(orderId) ? 'order' : address.split('/').pop());
    }
    await context.close();
  }
}

/** Takes the workflow of an order in the Temporal UI. */
async function takeWorkflow(browser, { temporalUiUrl }, orderId) {
  const page = await browser.newPage({ viewport: { width: WIDTHS[0], height: 900 }, colorScheme: 'light' });
  const address = new URL(
    `namespaces/default/workflows/order-${orderId}`,
    `${temporalUiUrl.replace(/\/$/, '')}/`,
  );
  await page.goto(address.href, { waitUntil: 'load' });
  await page.getByText(`order-${orderId}`).first().waitFor();
  // The page loads the history after the summary.
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.screenshot({ path: join(images, 'order-run.png') });
  console.log(`docs/images/order-run.png: ${page.url()}`);
}

const dataDir = process.env.DATA_DIR ?? join(root, '.data');
const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
const orderId = await newestOrder(credentials);

for (const folder of [images, all]) mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: browserPath(), args: BROWSER_FLAGS });
try {
  await takeConsole(browser, credentials, orderId);
  for (const [image, taken] of Object.entries(DOCUMENTED))
    copyFileSync(join(all, taken), join(images, image));
  await takeWorkflow(browser, credentials, orderId);
} finally {
  await browser.close();
}
