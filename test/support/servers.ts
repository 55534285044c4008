import { SERVER_VARIABLES } from './server-variables';

/** Addresses of the servers that global-setup.ts started for this jest run. */

function given(name: keyof typeof SERVER_VARIABLES): string {
  const value = process.env[SERVER_VARIABLES[name]];
  if (value) return value;
  throw new Error(`This test needs servers, but jest runs without them (${SERVER_VARIABLES[name]} is not set).`);
}

/** Superuser URL of the test Postgres. Tests use `testDatabase()` instead. */
export const testPostgresUrl = (): string => given('postgresUrl');

/** URL of the application's role on the test Postgres. It can read and write rows of test databases, and owns nothing. */
export const testApplicationUrl = (): string => given('applicationUrl');

/** host:port of the test Temporal server; namespace `default`, with our search attributes. */
export const testTemporalAddress = (): string => given('temporalAddress');

/** Path of a Temporal CLI binary, for tests that start their own servers. */
export const testTemporalBinary = (): string => given('temporalBinary');

/** The bundled workflows/index.ts, as `Worker.create({ workflowBundle })` takes it. */
export function workflowBundle(): { codePath: string } {
  const error = process.env[SERVER_VARIABLES.workflowBundleError];
  if (error) throw new Error(`workflows/index.ts does not bundle: ${error}`);
  return { codePath: given('workflowBundle') };
}
