import postgres from 'postgres';

/** The value of `presslinePatch` in patches/postgres+3.4.9.patch. Increase both when the patch changes. */
const PATCH = 6;

/** The installed Postgres driver lacks the patch. The message says how to apply it. */
export class DriverNotPatched extends Error {
  override readonly name = 'DriverNotPatched';
}

/**
 * Checks that the installed `postgres` package carries our patch. Without it a broken connection can end the process,
 * hang queries, or return the rows of another query (patches/README.md).
 * @throws DriverNotPatched
 */
export function assertPatchedDriver(driver: object = postgres): void {
  if ((driver as { presslinePatch?: unknown }).presslinePatch === PATCH) return;
  throw new DriverNotPatched(
    'The installed Postgres driver is not patched: npm\'s postinstall script has not run. Run "npm ci" without --ignore-scripts, or "npx patch-package".',
  );
}
