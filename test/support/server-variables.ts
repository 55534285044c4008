/** Environment variables in which global-setup.ts leaves the addresses of the servers it started. */
export const SERVER_VARIABLES = {
  /** Superuser, maintenance database. */
  postgresUrl: 'PRESSLINE_TEST_POSTGRES_URL',
  /** The application's role, maintenance database. */
  applicationUrl: 'PRESSLINE_TEST_APPLICATION_URL',
  /** host:port of a pooler in front of the test Postgres. Tests then connect through it. */
  pooler: 'PRESSLINE_TEST_POOLER',
  temporalAddress: 'PRESSLINE_TEST_TEMPORAL_ADDRESS',
  temporalUiUrl: 'PRESSLINE_TEST_TEMPORAL_UI_URL',
  temporalBinary: 'PRESSLINE_TEST_TEMPORAL_BINARY',
  workflowBundle: 'PRESSLINE_TEST_WORKFLOW_BUNDLE',
  /** Why there is no bundle. Tests without workflows run without one. */
  workflowBundleError: 'PRESSLINE_TEST_WORKFLOW_BUNDLE_ERROR',
} as const;

/** The database that every test database is a copy of. */
export const TEMPLATE_DATABASE = 'pressline_template';
