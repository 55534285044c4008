import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { projectRoot } from '../../src/platform/project-root';
import { WAIT_MS } from './eventually';
import { leaveBrowser, sharedBrowser } from './runner/shared-browser';
import type { TestStack } from './stack';

interface Context {
  readonly baseUrl: string;
  readonly context: BrowserContext;
}

/**
 * Contexts of tabs that no test uses any more. The first page of a context takes 1.3 s of CPU, the next one 0.5 s: it finds the
 * compiled console in the context's cache.
 */
let free: Context[] = [];
/** Those of the tabs that the current test has opened. */
let used: Context[] = [];

beforeAll(() => {
  execFileSync(process.execPath, [join(projectRoot(), 'scripts', 'build', 'build-console.mjs')], {
    stdio: 'pipe',
  });
});

// Tabs of beforeAll stay open.
beforeEach(() => {
  used = [];
});

afterEach(async () => {
  for (const { context } of used) {
    await Promise.all(context.pages().map((page) => page.close()));
    await context.clearPermissions();
    await context.setOffline(false);
  }
  free.push(...used);
});

afterAll(leaveBrowser);

/** A tab of the console. */
export interface ConsoleTab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the content security policy and uncaught errors so far. */
  readonly faults: readonly string[];
}

/** Opens a tab that nobody has signed in to, with cookies of its own. */
export async function openTab(
  baseUrl: string,
  options: { readonly colorScheme?: 'light' | 'dark'; readonly width?: number } = {},
): Promise<ConsoleTab> {
  const { colorScheme = 'light', width = 1440 } = options;
  const context = await contextFor(baseUrl);
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  const debug = await context.newCDPSession(page);
  await debug.send('Storage.clearDataForOrigin', { origin: baseUrl, storageTypes: 'cookies,local_storage' });
  await debug.detach();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy/.test(message.text())) faults.push(message.text());
  });
  return { page, context, faults };
}

/** Takes a context that no tab uses, or makes one. */
async function contextFor(baseUrl: string): Promise<BrowserContext> {
  let context = free.find((one) => one.baseUrl === baseUrl)?.context;
  free = free.filter((one) => one.context !== context);
  context ??= await (await sharedBrowser()).newContext({
    baseURL: baseUrl,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  context.setDefaultTimeout(WAIT_MS);
  used.push({ baseUrl, context });
  return context;
}

/** Signs a tab in over the API and opens a screen. */
export async function signIn({ context, page }: ConsoleTab, apiKey: string, path = '/console'): Promise<void> {
  const response = await context.request.post('/v1/operator/session', { data: { apiKey } });
  if (!response.ok()) throw new Error(`sign-in failed: ${response.status()} ${await response.text()}`);
  await page.goto(path);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Opens a screen in a tab of its own, signed in as the operator of the stack unless `apiKey` is another's. */
export async function openScreen(
  { baseUrl, credentials }: Pick<TestStack, 'baseUrl' | 'credentials'>,
  path: string,
  apiKey: string = credentials.operator.apiKey,
): Promise<ConsoleTab> {
  const tab = await openTab(baseUrl);
  await signIn(tab, apiKey, path);
  return tab;
}

/** Rules whose results depend on colors. The others read the same document in every color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Returns the serious and critical violations that axe-core finds in the page, as texts. */
async function accessibilityFaults(page: Page, options: axe.RunOptions): Promise<string[]> {
  const run = JSON.stringify({ resultTypes: ['violations'], ...options } satisfies axe.RunOptions);
  const results = (await page.evaluate(`axe.run(document, ${run})`)) as axe.AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Checks that axe-core finds nothing serious in the page, light and dark. */
export async function expectAccessible(page: Page): Promise<void> {
  // The tool is run in the page's own context by the browser's debugger, which the content security policy permits.
  await page.evaluate(axe.source);
  for (const [colorScheme, options] of [
    ['light', {}],
    ['dark', { runOnly: COLOR_RULES }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    expect(await accessibilityFaults(page, options)).toEqual([]);
  }
}
