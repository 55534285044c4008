/** Finds a Chromium for tests and screenshots. playwright-core brings none. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** As root, Chromium runs only without its sandbox. The other flags stop its connections to outside hosts. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The headless shell first: browser tests took two thirds of the CPU time that they took in Chromium 156 with `--headless`. */
const COMMANDS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
];
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Returns the browsers that `npx playwright install chromium` has downloaded. */
function downloaded() {
  const folder = process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(homedir(), '.cache', 'ms-playwright');
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith('chromium-'))
      .flatMap((name) => ['chrome-linux64', 'chrome-linux'].map((dir) => join(folder, name, dir, 'chrome')));
  } catch {
    return [];
  }
}

/**
 * Returns the path of a browser: CHROMIUM_PATH, else the first one that is installed.
 * @throws Error that says how to get one
 */
export function browserPath() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = COMMANDS.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [...candidates, ...APPLICATIONS, ...downloaded()].find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(
    'No Chromium found. Install one (Debian: apt-get update && apt-get install chromium-headless-shell; ' +
      'others: npx playwright-core install chromium), or set CHROMIUM_PATH to the path of an installed Chrome or Chromium.',
  );
}
