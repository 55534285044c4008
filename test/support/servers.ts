/** Addresses of the servers that global-setup started for this jest run, as it left them in the environment. */

export const SERVER_VARIABLES = {
  /** Superuser, maintenance database. */
  postgresUrl: 'PRESSLINE_TEST_POSTGRES_URL',
  temporalAddress: 'PRESSLINE_TEST_TEMPORAL_ADDRESS',
  temporalUiUrl: 'PRESSLINE_TEST_TEMPORAL_UI_URL',
  temporalBinary: 'PRESSLINE_TEST_TEMPORAL_BINARY',
  workflowBundle: 'PRESSLINE_TEST_WORKFLOW_BUNDLE',
  /** Why there is no bundle: tests without workflows run all the same. */
  workflowBundleError: 'PRESSLINE_TEST_WORKFLOW_BUNDLE_ERROR',
} as const;

/** The database that every test database is a copy of. */
export const TEMPLATE_DATABASE = 'pressline_template';

function given(name: keyof typeof SERVER_VARIABLES): string {
  const value = process.env[SERVER_VARIABLES[name]];
  if (value) return value;
  throw new Error(
    `This test needs servers, and jest was run without them (${SERVER_VARIABLES[name]} is not set).`,
  );
}

/** Superuser URL of the test Postgres; tests want `testDatabase()`. */
export const testPostgresUrl = (): string => given('postgresUrl');

/** host:port of the test Temporal server; namespace `default`, with our search attributes. */
export const testTemporalAddress = (): string => given('temporalAddress');

/** A Temporal CLI binary that runs, for tests that start servers of their own. */
export const testTemporalBinary = (): string => given('temporalBinary');

/** The bundled workflows/index.ts, as `Worker.create({ workflowBundle })` takes it. */
export function workflowBundle(): { codePath: string } {
  const error = process.env[SERVER_VARIABLES.workflowBundleError];
  if (error) throw new Error(`workflows/index.ts does not bundle: ${error}`);
  return { codePath: given('workflowBundle') };
}
