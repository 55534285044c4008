/**
 * Takes screenshots of a running stack with Chromium.
 *
 *   npm run demo                  in one terminal
 *   npm run screenshots           in another
 *
 * Every screen of the console is taken at two widths, light and dark, into out/screenshots, which is not committed. Those of
 * the documents are also written to docs/images. DATA_DIR names the data folder of the stack (default .data). CHROMIUM_PATH
 * names the browser; by default the script looks for an installed one (scripts/external/browser.mjs). The script adds a few orders, a label
 * and a procurement order, so that the screens have something to show.
 */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { BROWSER_FLAGS, browserPath } from './external/browser.mjs';

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

const POSTER = 'flat_product_pf_a4_pt_200-gsm-uncoated_cl_4-0_ver';
/** Orders that a partner refuses, so that the console shows some that need attention. */
const REFUSED = 3;

const dataDir = process.env.DATA_DIR ?? join(root, '.data');
const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
const { baseUrl, client, operator, partners } = credentials;

/** Calls the API with a key. @throws Error unless it succeeds */
async function call(key, method, path, body) {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const asClient = (path, body) => call(`${client.apiKey}:${client.apiSecret}`, 'POST', path, body);
const asOperator = (path) => call(operator.apiKey, 'GET', path);

/** Returns the newest order of the demo client that is delivered. */
async function deliveredOrder() {
  const { orders } = await asClient('/v1/orders/search', { fulfillmentStatuses: ['delivered'] });
  if (orders.length === 0) throw new Error('The stack has no delivered order. Start it with npm run demo.');
  return orders[0].id;
}

/** Adds what the console shows beside a delivered order: orders that a partner refuses, a label, a procurement order. */
async function addContent() {
  const { sandbox } = await asOperator('/v1/operator/sandbox');
  const file = sandbox.files.find(({ name }) => name === 'poster-a4.pdf');
  const address = { firstName: 'Ada', lastName: 'Lovelace', addressLine1: 'Torstraße 1', city: 'Berlin' };
  for (let number = 1; number <= REFUSED; number += 1) {
    await asClient('/v1/orders', {
      orderReferenceId: `order-${Date.now()}-${number}`,
      currency: 'EUR',
      shippingAddress: {
        ...address,
        postCode: '10119',
        country: 'DE',
        email: 'ada@example.com',
        phone: '+49 30 901820',
        addressLine2: 'sandbox:prints-berlin/refuses',
      },
      items: [
        {
          itemReferenceId: 'poster',
          productUid: POSTER,
          quantity: 1,
          files: [{ type: 'default', url: file.url }],
        },
      ],
    });
  }
  const person = { firstName: 'Ada', lastName: 'Lovelace', phone: '+49301234567' };
  const place = {
    country: 'DE',
    city: 'Berlin',
    postcode: '10119',
    addressLine1: 'Torstraße 1',
    street: 'Torstraße',
    houseNumber: '1',
  };
  await asClient('/v1/shipping-orders', {
    orderReferenceId: `parcel-${Date.now()}`,
    currency: 'EUR',
    options: { weightUnit: 'g', dimensionUnit: 'mm', label: { format: 'pdf' } },
    partner: { clientName: 'Northern Walls' },
    shippingMethod: { tier: 'standard', uid: '' },
    sender: { person: { ...person, company: 'Northern Walls' }, address: place },
    receiver: { person: { ...person, email: 'ada@example.com' }, address: place },
    packages: [{ packageReferenceId: 'pkg-1', grossWeight: 850, length: 300, width: 200, height: 60 }],
  });
  const printer = partners.find(({ name }) => name === 'prints-berlin');
  await call(printer.apiKey, 'POST', '/procurement/v1/inventory/adjust-stock', {
    adjustments: [{ partnerSku: 'frame-wood-oak-a4', adjustmentType: 'consume', quantity: 380 }],
  });
  for (let needing = 0; needing < REFUSED; await sleep(500)) {
    needing = (await asOperator('/v1/operator/orders?attention=any')).orders.length;
  }
}

/** Adds a channel of the demo client, with orders of a file that wait in its inbox. Returns its id. */
async function addChannel() {
  const defaults = {
    currency: 'EUR',
    'shippingAddress.email': 'ada@example.com',
    'shippingAddress.phone': '+49 30 901820',
  };
  const settings = { preset: 'shopify', defaults };
  const { id } = await asClient('/v1/channels', {
    kind: 'csv',
    name: `Shop export of ${new Date().toISOString().slice(0, 16)}`,
    settings,
  });
  const file = 'https://files.example.com/poster.pdf';
  await asClient(`/v1/channels/${id}/mappings`, { sku: 'POSTER-A4', productUid: POSTER, files: { default: file } });
  const key = `${client.apiKey}:${client.apiSecret}`;
  const upload = (name, query) =>
    fetch(`${baseUrl}/v1/channels/${id}/files?name=${name}.csv${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', 'X-API-KEY': key },
      body: exportOf(name),
    });
  for (const query of ['&dryRun=true', '']) await upload('may', query);
  for (let waiting = 0; waiting === 0; await sleep(500)) ({ waiting } = await call(key, 'GET', `/v1/channels/${id}`));
  return id;
}

const exportOf = (prefix) =>
  [
    'Name,Shipping Name,Shipping Address1,Shipping City,Shipping Zip,Shipping Country,Lineitem sku,Lineitem quantity',
    `${prefix}-1,Ada Byron,Torstraße 1,Berlin,10119,DE,POSTER-A3,1`,
    `${prefix}-2,Grace Hopper,Torstraße 2,,10119,DE,POSTER-A4,1`,
    `${prefix}-3,Mary Somerville,Torstraße 3,Berlin,10119,DE,POSTER-A4,two`,
    `${prefix}-4,Emmy Noether,Torstraße 4,Berlin,10119,DE,POSTER-A3,2`,
    '',
  ].join('\n');

/** Waits until a screen of the console shows what it has read, with its images. */
async function settle(page) {
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
}

/** Takes every screen of the console. */
async function takeConsole(browser, orderId, channelId) {
  for (const colorScheme of SCHEMES) {
    const context = await browser.newContext({
      baseURL: baseUrl,
      colorScheme,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      viewport: { width: WIDTHS[0], height: 900 },
    });
    const page = await context.newPage();
    const shoot = async (name) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const file = `${name}-${width}-${colorScheme}.png`;
        await page.screenshot({ animations: 'disabled', path: join(all, file) });
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
    // The navigation also has links with filters.
    const hrefs = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')));
    const screens = hrefs.filter((href) => !href.includes('?'));
    const ofObjects = {
      order: `/console/orders/${orderId}`,
      channel: `/console/channels/${channelId}`,
      // The month that is shown at first has ended.
      receipts: `/console/receipts?month=${new Date().toISOString().slice(0, 7)}`,
    };
    for (const [name, address] of [
      ...screens.map((screen) => [screen.split('/').pop(), screen]),
      ...Object.entries(ofObjects),
    ]) {
      await page.goto(address);
      await settle(page);
      await shoot(name);
    }
    const buffer = Buffer.from(exportOf('june'));
    await page.locator('input[type=file]').setInputFiles({ name: 'june.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('table', { name: 'Errors in the file' }).waitFor();
    await shoot('import');
    await context.close();
  }
}

/** Takes the workflow of an order in the Temporal UI. */
async function takeWorkflow(browser, orderId) {
  const page = await browser.newPage({ viewport: { width: WIDTHS[0], height: 900 }, colorScheme: 'light' });
  const address = new URL(
    `namespaces/default/workflows/order-${orderId}`,
    `${credentials.temporalUiUrl.replace(/\/$/, '')}/`,
  );
  await page.goto(address.href, { waitUntil: 'load' });
  await page.getByText(`order-${orderId}`).first().waitFor();
  // The page loads the history after the summary.
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.screenshot({ animations: 'disabled', path: join(images, 'order-run.png') });
  console.log(`docs/images/order-run.png: ${page.url()}`);
}

const orderId = await deliveredOrder();
await addContent();
for (const folder of [images, all]) mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: browserPath(), args: BROWSER_FLAGS });
try {
  await takeConsole(browser, orderId, await addChannel());
  for (const [image, taken] of Object.entries(DOCUMENTED)) copyFileSync(join(all, taken), join(images, image));
  await takeWorkflow(browser, orderId);
} finally {
  await browser.close();
}
