import type { Context } from 'node:vm';
import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import type { Circus } from '@jest/types';
import type { Runtime } from '@temporalio/worker';
import { ModuleMocker } from 'jest-mock';

/**
 * Ends the process of a jest worker when jest no longer listens to it. The servers that its test files share would keep it
 * running, and jest would kill it after half a second, with a warning.
 */
if (process.send !== undefined)
  process.on('removeListener', (event) => {
    if (event === 'message' && process.listenerCount('message') === 0) process.exit();
  });

/** Name of the hook that must run after all others of its file: those may still use what it takes away. */
export const LAST_HOOK = 'dropTestDatabases';

/**
 * Runs test files in the realm of the jest worker, where they share the installed packages (runtime.js). What a test file sets
 * is reset after it: global variables, environment variables, and the state of packages.
 */
export default class Environment implements JestEnvironment {
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  private readonly conditions: string[];
  private readonly globals: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(globalThis);
  private readonly variables = { ...process.env };
  private readonly exit = process.exit;
  private tests: Circus.DescribeBlock | undefined;

  constructor({ projectConfig }: JestEnvironmentConfig) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.conditions = projectConfig.testEnvironmentOptions.customExportConditions as string[];
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    if (this.tests !== undefined) release(this.tests);
    await resetPackages();
    // Jest replaces it for each test file.
    process.exit = this.exit;
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    for (const key of Reflect.ownKeys(globalThis)) {
      const before = this.globals[key];
      const now = Object.getOwnPropertyDescriptor(globalThis, key)!;
      if (before === undefined && !isOfUndici(key)) Reflect.deleteProperty(globalThis, key);
      if (before !== undefined && before.value !== now.value) Object.defineProperty(globalThis, key, before);
    }
  }

  exportConditions(): string[] {
    return this.conditions;
  }

  getVmContext(): Context {
    return globalThis;
  }

  /** Jest runs afterAll hooks in the order of their definition, and the ones of imported modules come first. */
  handleTestEvent(event: Circus.AsyncEvent | Circus.SyncEvent, state: Circus.State): void {
    if (event.name !== 'run_start') return;
    this.tests = state.rootDescribeBlock;
    const { hooks } = this.tests;
    hooks.sort((a, b) => Number(a.fn.name === LAST_HOOK) - Number(b.fn.name === LAST_HOOK));
  }
}

/**
 * Lets go of the functions and stack traces of tests and hooks. Timers and connections that outlive a test file keep its last
 * test or hook in their async context, and with it every module of the file: 20 MB of each stack.
 */
function release(block: Circus.DescribeBlock): void {
  for (const entry of [...block.hooks, ...block.tests]) Object.assign(entry, { fn: undefined, asyncError: undefined });
  for (const child of block.children) if (child.type === 'describeBlock') release(child);
}

/** Node and the package undici keep the connections of `fetch` in global variables, which they set once. */
const isOfUndici = (key: string | symbol) => String(key).includes('undici');

const loaded = <T>(name: string): T | undefined => require.cache[require.resolve(name)]?.exports;

async function resetPackages(): Promise<void> {
  const telemetry = loaded<typeof import('@opentelemetry/api')>('@opentelemetry/api');
  telemetry?.trace.disable();
  telemetry?.metrics.disable();
  telemetry?.context.disable();
  telemetry?.propagation.disable();
  const temporal = loaded<{ Runtime: { _instance?: Runtime } }>('@temporalio/worker');
  await temporal?.Runtime._instance?.shutdown();
}
