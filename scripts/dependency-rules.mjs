/**
 * The dependency directions of ARCHITECTURE.md as data; scripts/check-dependencies.mjs holds the sources to them.
 *
 * A rule looks at the files that match `from` (and not `except`) and names what they must not import (`never`) or the
 * only things that they may (`only`). Targets are paths from the project's root, `node:<module>` for Node's own modules,
 * and `npm:<package>` for packages. Type-only imports vanish when compiled: `typesToo` says that a rule counts them.
 */
export const ROOTS = ['cli', 'src', 'api', 'workflows', 'activities', 'sandbox', 'bench', 'client'];

const OUTER = '(cli|api|activities|workflows|sandbox|bench|client|test)/';

/**
 * The features of src/, lowest first. A feature imports only features that stand before it in this list, so that
 * dependencies between features form no loop.
 */
export const FEATURES = [
  'platform',
  'accounts',
  'catalog',
  'consignments',
  'files',
  'notifications',
  'procurement',
  'carriers',
  'documents',
  'partners',
  'shipping',
  'orders',
];

const featureRules = FEATURES.map((feature, index) => ({
  name: `features above ${feature}`,
  why: `src/${feature} imports only the features listed before it: ${FEATURES.slice(0, index).join(', ') || 'none'}`,
  from: new RegExp(`^src/${feature}/`),
  never: new RegExp(`^src/(?!(${FEATURES.slice(0, index + 1).join('|')})/)`),
  typesToo: true,
}));

export const RULES = [
  ...featureRules,
  {
    name: 'every feature has a place',
    why: 'a folder of src/ must be listed in FEATURES (scripts/dependency-rules.mjs)',
    from: new RegExp(`^src/(?!(${FEATURES.join('|')})/)`),
    never: /./,
    typesToo: true,
  },
  {
    name: 'src stands below',
    why: 'src never imports api, activities, workflows or sandbox; only the entry point (cli/) composes them',
    from: /^src\//,
    never: new RegExp(`^${OUTER}`),
    typesToo: true,
  },
  {
    name: 'workflows are deterministic',
    why: 'workflow code imports workflow code, pure modules and the workflow SDK; activities as types only',
    from: /^workflows\//,
    only: /^(workflows\/|src\/[^/]+\/domain\/|npm:@temporalio\/(workflow|common)$)/,
  },
  {
    name: 'domain is pure',
    why: 'domain modules import domain modules and pure libraries: no SQL, no HTTP, no Node API',
    from: /^src\/[^/]+\/domain\//,
    only: /^(src\/[^/]+\/domain\/|npm:(decimal\.js|date-holidays|i18n-iso-countries|zod|@temporalio\/common)$)/,
  },
  {
    name: 'api asks src',
    why: 'HTTP routes reach workflows by their messages, never activities or the sandbox',
    from: /^api\//,
    never: /^(activities|sandbox|bench|client|test)\//,
  },
  {
    name: 'activities do not serve',
    why: 'activities know nothing of HTTP routes',
    from: /^activities\//,
    never: /^(api|sandbox|bench|client|test)\//,
  },
  {
    name: 'sandbox is outside',
    why: 'the sandbox plays the outside world and speaks to Pressline over HTTP; platform and pure modules excepted',
    from: /^sandbox\//,
    never: /^(api|activities|workflows|bench|test|src\/(?!platform\/|[^/]+\/domain\/))/,
  },
];

/** Reading the clock or rolling dice makes a pure function impure: times and random values are arguments there. */
export const PURE = /^src\/[^/]+\/domain\//;
