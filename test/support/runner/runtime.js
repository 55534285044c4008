const { sep } = require('node:path');
const { constants, Script } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/** Files that every test file of a jest worker shares: installed packages, and what changes one of them. */
const SHARED = [`${sep}node_modules${sep}`, `${sep}runner${sep}supertest.js`];

/** The compiled files of the project, by path. V8 keeps with each the functions that it has compiled so far. */
const compiled = new Map();

/** Loads the files of the current test file. */
let running;

// Some packages take a path of a module and require it.
const loadTypeScript = require.extensions['.ts'] ?? require.extensions['.js'];
require.extensions['.ts'] = (module, path) => {
  if (running === undefined) return loadTypeScript(module, path);
  delete require.cache[path];
  module.exports = running.requireModule(path);
};

/**
 * Loads test files and the project's files anew for each test file, as jest does, but in the realm of the jest worker, not in one
 * of their own. Node loads installed packages, so that each is compiled and run once per worker.
 */
module.exports = class Runtime extends JestRuntime {
  constructor(...args) {
    super(...args);
    this.executor.compile = compile;
    running = this;
  }

  teardown() {
    running = undefined;
    super.teardown();
  }

  requireModule(from, name, options, isRequireActual) {
    if (
      name !== undefined &&
      !name.startsWith('.') &&
      !options?.isInternalModule &&
      !this._resolution.isCoreModule(name)
    ) {
      const path = this._resolution.resolveCjs(from, name);
      if (SHARED.some((part) => path.includes(part))) return require(path);
    }
    return super.requireModule(from, name, options, isRequireActual);
  }

  /** Jest would replace a function of `process`, which is not a copy here. */
  installGetBuiltinModule() {}
};

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
