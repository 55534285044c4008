import { type Browser, chromium } from 'playwright-core';
import { BROWSER_FLAGS, browserPath } from '../../../scripts/external/browser.mjs';

let browser: Browser | undefined;

/**
 * Returns the browser of all test files of a jest worker. The start of its processes takes 1.5 s of CPU time. It ends with the jest
 * worker.
 */
export async function sharedBrowser(): Promise<Browser> {
  if (!browser?.isConnected()) browser = await chromium.launch({ executablePath: browserPath(), args: BROWSER_FLAGS });
  return browser;
}
