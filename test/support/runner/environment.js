const { findSourceMap, setSourceMapsSupport } = require('node:module');
const { sep } = require('node:path');
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { Runtime } = require('@temporalio/worker');
const { TestEnvironment } = require('jest-environment-node');
const { install } = require('source-map-support');
const { Test } = require('supertest');
require('../register-typescript.cjs');

/** Globals of the language, which each context of node:vm has for itself. */
const BUILT_IN = vm.runInNewContext('Object.getOwnPropertyNames(globalThis)');

const prepareStackTrace = mapStackTraces();
countExpectations();
endWithJest();

/**
 * Node loads test files and all that they import. Packages and the project's programs are compiled and run once for each jest
 * worker, and files of test/ once for each test file. Jest would load everything anew for each test file, which took a third of
 * the CPU time of API tests.
 */
module.exports = class Environment extends TestEnvironment {
  #globals = Object.getOwnPropertyDescriptors(globalThis);
  #variables = { ...process.env };

  constructor(config, context) {
    super(config, context);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
    // So that the Error, Date or String of a test is the one that jest compares with.
    for (const name of BUILT_IN)
      if (Object.getOwnPropertyDescriptor(this.global, name).writable && name !== 'globalThis')
        this.global[name] = globalThis[name];
    const { roots } = config.projectConfig;
    const isOfTests = (path) => path.includes(`${sep}test${sep}`) && roots.some((root) => path.startsWith(root));
    const before = new Set(Object.keys(this.global));
    this.global.loadInNode = (path, jest) => {
      const ofJest = Object.entries(this.global).filter(([name]) => !before.has(name));
      Object.assign(globalThis, Object.fromEntries(ofJest), { jest, console: this.global.console });
      for (const loaded of Object.keys(require.cache))
        if (isOfTests(loaded) && !loaded.startsWith(__dirname)) delete require.cache[loaded];
      require(path);
    };
  }

  async setup() {
    await super.setup();
    // Jest replaces it for each test file.
    Error.prepareStackTrace = prepareStackTrace;
  }

  async teardown() {
    await Runtime.instance().shutdown();
    await super.teardown();
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
    Object.defineProperties(globalThis, this.#globals);
  }

  /** Puts the hook that drops test databases last: the others may still use them, and jest runs them in the order of their definition. */
  handleTestEvent({ name }, { rootDescribeBlock: { hooks } }) {
    const isLast = (hook) => Number(hook.fn.name === 'dropTestDatabases');
    if (name === 'run_start') hooks.sort((a, b) => isLast(a) - isLast(b));
  }
};

/** Returns a function for stack traces that knows the source maps of what Node has loaded. */
function mapStackTraces() {
  setSourceMapsSupport(true);
  install({
    retrieveSourceMap(path) {
      const map = findSourceMap(path)?.payload;
      return map === undefined ? null : { url: path, map: { ...map, sources: [path] } };
    },
  });
  return Error.prepareStackTrace;
}

/** Lets each expectation of supertest count as an assertion of its test (setup.ts) once the response has met it. */
function countExpectations() {
  const { expect: add } = Test.prototype;
  Test.prototype.expect = function (...expectation) {
    add.apply(this, expectation);
    return add.call(this, () => {
      expect.setState({ assertionCalls: expect.getState().assertionCalls + 1 });
    });
  };
}

/**
 * Ends the process of a jest worker when jest no longer listens to it. The servers that its test files share would keep it
 * running, and jest would kill it after half a second, with a warning.
 */
function endWithJest() {
  if (process.send === undefined) return;
  process.on('removeListener', (event) => {
    if (event === 'message' && process.listenerCount('message') === 0) process.exit();
  });
}
