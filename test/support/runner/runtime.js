const { readFileSync } = require('node:fs');
const { join, sep } = require('node:path');
const { constants, Script } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

const ROOT = join(__dirname, '../../..');
/** The folders of the project's programs: everything but tests, tools, and what a browser runs. */
const PROGRAMS = ['activities', 'api', 'bench', 'cli', 'client', 'kits', 'sandbox', 'src', 'workflows'];
/** Installed packages, what changes one of them, and what all test files of a worker share. */
const PACKAGES = [`${sep}node_modules${sep}`, `${sep}runner${sep}supertest.js`, `${sep}runner${sep}shared-`];

const isPackage = (path) => PACKAGES.some((part) => path.includes(part));
const isPostgres = (path) => path.includes(`${sep}node_modules${sep}postgres${sep}`);
function isProgram(path) {
  if (!path.endsWith('.ts') || !path.startsWith(ROOT + sep) || isPackage(path)) return false;
  const folders = path.slice(ROOT.length + 1).split(sep);
  return PROGRAMS.includes(folders[0]) && !folders.includes('test');
}

/** The compiled files of tests, by path. V8 keeps with each the functions that it has compiled so far. */
const compiled = new Map();

/** Source maps of the programs that Node has loaded, by path. */
const sourceMaps = new Map();

/** Loads the files of the current test file. */
let running;

// With --runInBand, this process has also run global-setup.ts.
dropPrograms();

/** The stores of call stacks of the Postgres driver. */
const callStacks = loadPostgres();

// Node calls it for the programs, and for modules that some packages take the path of and require.
const loadTypeScript = require.extensions['.ts'] ?? require.extensions['.js'];
require.extensions['.ts'] = (module, path) => {
  if (running === undefined) return loadTypeScript(module, path);
  if (running.isShared(path)) return module._compile(running.transformProgram(path), path);
  delete require.cache[path];
  module.exports = running.requireModule(path);
};

/**
 * Loads test files and their helpers anew for each test file, as jest does, but in the realm of the jest worker, not in one of
 * their own. Node loads installed packages and the project's programs, so that each is compiled and run once per worker.
 * A test file that mocks modules, and every test file while jest measures coverage, loads the programs anew.
 */
module.exports = class Runtime extends JestRuntime {
  constructor(config, environment, resolver, transformer, cacheFS, coverageOptions, testPath, globalConfig) {
    super(config, environment, resolver, transformer, cacheFS, coverageOptions, testPath, globalConfig);
    this.sharesPrograms = !coverageOptions.collectCoverage && !readFileSync(testPath, 'utf8').includes('jest.mock(');
    if (!this.sharesPrograms) dropPrograms();
    for (const [path, map] of sourceMaps) this.getSourceMaps().set(path, map);
    this.executor.compile = compile;
    running = this;
  }

  teardown() {
    running = undefined;
    super.teardown();
    for (const stacks of callStacks) stacks.clear();
    if (!this.sharesPrograms) dropPrograms();
  }

  isShared(path) {
    return isPackage(path) || (this.sharesPrograms && isProgram(path));
  }

  requireModule(from, name, options, isRequireActual) {
    if (name !== undefined && !options?.isInternalModule && !this._resolution.isCoreModule(name)) {
      const path = this._resolution.resolveCjs(from, name);
      if (this.isShared(path)) return require(path);
    }
    return super.requireModule(from, name, options, isRequireActual);
  }

  transformProgram(path) {
    const code = this.transformCache.transform(path);
    sourceMaps.set(path, this.getSourceMaps().get(path));
    return code;
  }

  /** Jest would replace a function of `process`, which is not a copy here. */
  installGetBuiltinModule() {}
};

/** Lets Node load the programs again. They register their schemas when they are loaded. */
function dropPrograms() {
  for (const path of Object.keys(require.cache).filter(isProgram)) delete require.cache[path];
  require.cache[require.resolve('zod')]?.exports.globalRegistry.clear();
}

/**
 * Loads the Postgres driver and returns the maps that it stores call stacks in: of the first run of each query in the code.
 * A stack holds the functions of its test file, and with them the stack of servers that the file started.
 */
function loadPostgres() {
  const OwnMap = globalThis.Map;
  const maps = [];
  globalThis.Map = class extends OwnMap {
    constructor(entries) {
      super(entries);
      maps.push(this);
    }
  };
  // With --runInBand, global-setup.ts has loaded it.
  for (const path of Object.keys(require.cache).filter(isPostgres)) delete require.cache[path];
  require('postgres');
  globalThis.Map = OwnMap;
  return maps;
}

/** Takes the place of jest's `ModuleExecutor.compile`. */
function compile(source, filename) {
  let file = compiled.get(filename);
  if (file?.source !== source) {
    const head = `(function (${this.injectedModuleParameters.join(', ')}) {`;
    const script = new Script(`${head}${source}\n})`, {
      filename,
      columnOffset: -head.length,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    file = { source, script };
    compiled.set(filename, file);
  }
  return file.script.runInThisContext();
}
