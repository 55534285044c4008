/**
 * The dependency rules of ARCHITECTURE.md as data, checked by scripts/checks/check-dependencies.mjs.
 *
 * A rule applies to the files that match `from` and not `except`. It names the targets that they must not import (`never`)
 * or the only targets that they may import (`only`). A target is a path from the project's root, `node:<module>` for a
 * module of Node, or `npm:<package>`. Type-only imports disappear when compiled: a rule counts them with `typesToo`.
 */
export const ROOTS = [
  'cli',
  'src',
  'api',
  'workflows',
  'activities',
  'sandbox',
  'bench',
  'client',
  'console',
];

const OUTER = '(cli|api|activities|workflows|sandbox|bench|client|console|test)/';

/**
 * The features of src/, lowest first. A feature imports only the features before it in this list, so that dependencies
 * between features form no cycle.
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
  'privacy',
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
    why: 'a folder of src/ must be listed in FEATURES (scripts/checks/dependency-rules.mjs)',
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
    why: 'HTTP routes use workflows through their messages, and never import activities or the sandbox',
    from: /^api\//,
    never: /^(activities|sandbox|bench|client|test)\//,
  },
  {
    name: 'activities do not serve',
    why: 'activities do not import HTTP routes',
    from: /^activities\//,
    never: /^(api|sandbox|bench|client|test)\//,
  },
  {
    name: 'sandbox is outside',
    why: 'the sandbox simulates partners and carriers and uses Pressline over HTTP; it may import platform and pure modules',
    from: /^sandbox\//,
    never: /^(api|activities|workflows|bench|test|src\/(?!platform\/|[^/]+\/domain\/))/,
  },
  {
    name: 'the console is a client',
    why: 'the web console uses the HTTP API only, with the operations that are generated from its document',
    from: /^console\//,
    only: /^(console\/|client\/operations\.ts$|npm:)/,
    typesToo: true,
  },
];

/** Files that must not read the clock or random numbers. They take times and random values as arguments. */
export const PURE = /^src\/[^/]+\/domain\//;

/** Files that must not form a cycle by imports of types either: types that modules share stand in modules of types. */
export const NO_TYPE_CYCLES = /^console\//;
