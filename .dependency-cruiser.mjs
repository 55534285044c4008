/**
 * The dependency rules of ARCHITECTURE.md, checked by dependency-cruiser (`npm run deps`). Type-only imports disappear when they are
 * compiled: a rule ignores them with `VALUES`. A target is a path from the root, the name of a module of Node, or the path of a
 * package in node_modules.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */

const SHIPPED = { path: '^(cli|src|api|workflows|activities|packages|sandbox|kits|client)/', pathNot: '/test/' };
const VALUES = { dependencyTypesNot: ['type-only'] };
/** Returns a pattern of packages, with or without the folder that they are installed in. */
const packages = (names) => `(node_modules/)?(${names})(/|$)`;

/** The features of src/, lowest first. A feature imports only the features before it, so that features form no cycle. */
const FEATURES = [
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
  'channels',
  'orders',
  'privacy',
];

const featureRules = FEATURES.map((feature, index) => ({
  name: `features above ${feature}`,
  comment: `src/${feature} imports only the features before it: ${FEATURES.slice(0, index).join(', ') || 'none'}`,
  from: { path: `^src/${feature}/` },
  to: { path: '^src/', pathNot: `^src/(${FEATURES.slice(0, index + 1).join('|')})/` },
}));

/** The folders of src/orders, lowest first. Imports of types count. */
const ORDERS = ['domain', 'run', 'planning', 'reading', 'books', 'intake', 'production', 'upkeep'];

const ordersRules = ORDERS.map((folder, index) => ({
  name: `folders above ${folder} of orders`,
  comment: `src/orders/${folder} imports only the folders before it: ${ORDERS.slice(0, index).join(', ') || 'none'}`,
  from: { path: `^src/orders/${folder}/` },
  to: { path: '^src/orders/', pathNot: `^src/orders/(${ORDERS.slice(0, index + 1).join('|')})/` },
}));

/** The folders of console/src, lowest first. */
const CONSOLE = ['routing', 'api', 'texts', 'components', 'screens', 'shell'];

const consoleRules = CONSOLE.map((folder, index) => ({
  name: `folders above ${folder} of the console`,
  comment: `console/src/${folder} imports only the folders before it: ${CONSOLE.slice(0, index).join(', ') || 'none'}`,
  from: { path: `^console/src/${folder}/` },
  to: { path: '^console/src/', pathNot: `^console/src/(${CONSOLE.slice(0, index + 1).join('|')})/` },
}));

const forbidden = [
  ...featureRules,
  ...ordersRules,
  ...consoleRules,
  {
    name: 'every feature has a place',
    comment: 'FEATURES names every folder of src/',
    from: { path: '^src/', pathNot: `^src/(${FEATURES.join('|')})/` },
    to: {},
  },
  {
    name: 'every folder of orders has a place',
    comment: 'ORDERS names every folder of src/orders',
    from: { path: '^src/orders/', pathNot: `^src/orders/(${ORDERS.join('|')})/` },
    to: {},
  },
  {
    name: 'src stands below',
    comment: 'src never imports the layers above it; only the entry point (cli/) composes them',
    from: { path: '^src/' },
    to: { path: '^(cli|api|activities|workflows|sandbox|bench|kits|client|console|test)/' },
  },
  {
    name: 'workflows are deterministic',
    comment: 'workflow code imports workflow code, pure modules and the workflow SDK; activities as types only',
    from: { path: '^workflows/' },
    to: {
      pathNot: `^(workflows/|src/[^/]+/domain/|${packages('@temporalio/(workflow|common)')})`,
      ...VALUES,
    },
  },
  {
    name: 'domain is pure',
    comment: 'domain modules import domain modules and pure libraries: no SQL, no HTTP, no Node API',
    from: { path: '^src/[^/]+/domain/' },
    to: {
      pathNot: `^(src/[^/]+/domain/|packages/file-reader/facts\\.ts$|${packages('decimal\\.js|date-holidays|i18n-iso-countries|zod|@temporalio/common')})`,
      ...VALUES,
    },
  },
  {
    name: 'api asks src',
    comment: 'HTTP routes use workflows through their messages, and never import activities or the sandbox',
    from: { path: '^api/' },
    to: { path: '^(activities|sandbox|bench|client|test)/', ...VALUES },
  },
  {
    name: 'activities do not serve',
    comment: 'activities do not import HTTP routes',
    from: { path: '^activities/' },
    to: { path: '^(api|sandbox|bench|kits|client|test)/', ...VALUES },
  },
  {
    name: 'packages know no engine',
    comment: 'a package of packages/ imports itself, and packages of npm; the engine imports it as it does these',
    from: { path: '^(packages/[^/]+/)', pathNot: '/test/' },
    to: { path: '^[^/]+/.*\\.[cm]?[jt]s$', pathNot: '^($1|node_modules/)' },
  },
  {
    name: 'embedded servers are for development',
    comment: 'only the command line, the demo, tests and benchmarks start servers on this machine',
    from: { path: '^(src|api|workflows|activities|kits|client)/', pathNot: '/test/' },
    to: { path: '^packages/embedded-servers/' },
  },
  {
    name: 'sandbox is outside',
    comment: 'the sandbox simulates partners and carriers over HTTP; it may import platform and pure modules',
    from: { path: '^sandbox/', pathNot: '/test/|^sandbox/demo/' },
    to: { path: '^(api|activities|workflows|bench|kits|test|src/(?!platform/|[^/]+/domain/))', ...VALUES },
  },
  {
    name: 'the demo is outside',
    comment: 'it fills the database of a demo through src, and orders over HTTP',
    from: { path: '^sandbox/demo/' },
    to: { path: '^(cli|api|activities|workflows|bench|kits|test)/', ...VALUES },
  },
  {
    name: 'the partner kit stands below',
    comment: 'the API and the command line use the conformance check, which imports src only',
    from: { path: '^kits/partner-kit/', pathNot: '/test/' },
    to: { path: '^(cli|api|activities|workflows|sandbox|bench|console|test)/' },
  },
  {
    name: 'the console is a client',
    comment:
      'the web console uses the HTTP API only, with the operations that are generated from its document and the words of a timeline',
    from: { path: '^console/' },
    to: { path: '^[^/]+/', pathNot: '^(console/|client/(operations|order-story)\\.ts$|node_modules/)' },
  },
  {
    name: 'no cycles',
    comment: 'modules must not import each other',
    from: {},
    to: { circular: true, viaOnly: VALUES },
  },
  {
    name: 'no cycles of types',
    comment: 'types that modules share stand in a module of their own',
    from: { path: '^(src|console)/' },
    to: { circular: true },
  },
  {
    name: 'every folder of the console has a place',
    comment: 'CONSOLE names every folder of console/src; main.tsx starts the console',
    from: { path: '^console/src/', pathNot: `^console/src/((${CONSOLE.join('|')})/|main\\.tsx$)` },
    to: {},
  },
  { name: 'imports exist', from: {}, to: { couldNotResolve: true } },
  {
    name: 'packages are declared',
    comment: 'an import names a package of package.json, or of that of its workspace',
    from: {},
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'shipped code has dependencies',
    comment: 'what ships imports no development dependency, except types',
    from: SHIPPED,
    to: { dependencyTypes: ['npm-dev'], ...VALUES },
  },
  {
    name: 'optional packages load late',
    comment:
      'an optional dependency is loaded with import() where it is needed, so that other commands start without it',
    from: SHIPPED,
    to: { dependencyTypes: ['npm-optional'], dynamic: false, ...VALUES },
  },
];

export default {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    // TypeScript 7 has no compiler API.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // A workspace may use the packages of the root.
    combinedDependencies: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mts', '.mjs', '.js', '.cjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
