import { type Browser, chromium } from 'playwright-core';
import { BROWSER_FLAGS, browserPath } from '../../../scripts/external/browser.mjs';

let browser: Browser | undefined;

/**
 * Returns the browser of all test files of a jest worker. The start of its processes takes 1.5 s of CPU time. It ends with the jest
 * worker, which jest kills.
 */
export async function sharedBrowser(): Promise<Browser> {
  if (!browser?.isConnected()) browser = await chromium.launch({ executablePath: browserPath(), args: BROWSER_FLAGS });
  return browser;
}

/**
 * Closes what a test file has opened in the browser. With --runInBand jest waits until nothing is open in its process, so the
 * browser ends too.
 */
export async function leaveBrowser(): Promise<void> {
  if (process.send === undefined) await browser?.close();
  else for (const context of browser?.contexts() ?? []) await context.close();
}
