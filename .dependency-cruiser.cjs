/** The dependency directions of ARCHITECTURE.md, held by `npm run deps`. */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, dependencyTypesNot: ['type-only'] } },
    {
      name: 'src-stands-below',
      comment: 'src never imports api, activities, workflows or sandbox; only the entry point (src/cli) composes them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli' },
      to: { path: '^(api|activities|workflows|sandbox|bench|test|src/cli)' },
    },
    {
      name: 'platform-stands-lowest',
      comment: 'src/platform knows no feature.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/(?!platform/)' },
    },
    {
      name: 'workflows-are-deterministic',
      comment: 'Workflow code imports only workflow code, pure modules and the workflow SDK; activities as types only.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        pathNot: ['^workflows/', '^src/[^/]+/domain/', '^node_modules/@temporalio/(workflow|common)'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'domain-is-pure',
      comment: 'Domain modules import only domain modules and pure libraries: no SQL, no HTTP, no clock, no Node API.',
      severity: 'error',
      from: { path: '^src/[^/]+/domain/' },
      to: {
        pathNot: ['^src/[^/]+/domain/', '^node_modules/(decimal\\.js|date-holidays|i18n-iso-countries|zod)'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'api-and-activities-side-by-side',
      severity: 'error',
      from: { path: '^api/' },
      to: { path: '^(activities|sandbox|bench)/' },
    },
    {
      name: 'activities-do-not-serve',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: '^(api|sandbox|bench)/' },
    },
    {
      name: 'sandbox-is-outside',
      comment: 'The sandbox plays the outside world and speaks to Pressline over HTTP only; pure domain code excepted.',
      severity: 'error',
      from: { path: '^sandbox/' },
      to: { path: '^(api|activities|workflows|src/(?!platform/|[^/]+/domain/))' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    exclude: { path: '^dist/' },
  },
};
