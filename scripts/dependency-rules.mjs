/**
 * The dependency directions of ARCHITECTURE.md as data; scripts/check-dependencies.mjs holds the sources to them.
 *
 * A rule looks at the files that match `from` (and not `except`) and names what they must not import (`never`) or the
 * only things that they may (`only`). Targets are paths from the project's root, `node:<module>` for Node's own modules,
 * and `npm:<package>` for packages. Type-only imports vanish when compiled: `typesToo` says that a rule counts them.
 */
export const ROOTS = ['cli', 'src', 'api', 'workflows', 'activities', 'sandbox', 'bench', 'client'];

const OUTER = '(cli|api|activities|workflows|sandbox|bench|client|test)/';

export const RULES = [
  {
    name: 'src stands below',
    why: 'src never imports api, activities, workflows or sandbox; only the entry point (cli/) composes them',
    from: /^src\//,
    never: new RegExp(`^(${OUTER}|src/cli(/|\\.ts$))`),
    typesToo: true,
  },
  {
    name: 'platform stands lowest',
    why: 'src/platform knows no feature',
    from: /^src\/platform\//,
    never: /^src\/(?!platform\/)/,
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
