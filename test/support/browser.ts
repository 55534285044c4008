import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { BROWSER_FLAGS, browserPath } from '../../scripts/external/browser.mjs';
import { projectRoot } from '../../src/platform/project-root';
import { WAIT_MS } from './eventually';

let browser: Browser | undefined;

beforeAll(async () => {
  execFileSync(process.execPath, [join(projectRoot(), 'scripts', 'build', 'build-console.mjs')], {
    stdio: 'pipe',
  });
  browser = await chromium.launch({ executablePath: browserPath(), args: BROWSER_FLAGS });
});

afterAll(async () => {
  await browser?.close();
});

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
  const context = await browser!.newContext({
    baseURL: baseUrl,
    colorScheme,
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy/.test(message.text())) faults.push(message.text());
  });
  return { page, context, faults };
}

/** Signs a tab in over the API and opens a screen. */
export async function signIn({ context, page }: ConsoleTab, apiKey: string, path = '/console'): Promise<void> {
  const response = await context.request.post('/v1/operator/session', { data: { apiKey } });
  if (!response.ok()) throw new Error(`sign-in failed: ${response.status()} ${await response.text()}`);
  await page.goto(path);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Opens a tab that is signed in, at a screen. */
export async function openScreen(baseUrl: string, apiKey: string, path: string): Promise<ConsoleTab> {
  const tab = await openTab(baseUrl);
  await signIn(tab, apiKey, path);
  return tab;
}

/** Returns the serious and critical violations that axe-core finds in the page, as texts. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The tool is run in the page's own context by the browser's debugger, which the content security policy permits.
  await page.evaluate(axe.source);
  const results = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as axe.AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Checks that axe-core finds nothing serious in the page, light and dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  }
}
