import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';

/** Name of the hook that must run after all others of its file: those may still use what it takes away. */
export const LAST_HOOK = 'dropTestDatabases';

/** Jest runs afterAll hooks in the order of their definition, and the ones of imported modules come first. */
export default class Environment extends TestEnvironment {
  handleTestEvent(event: Circus.AsyncEvent | Circus.SyncEvent, state: Circus.State): void {
    if (event.name !== 'run_start') return;
    const { hooks } = state.rootDescribeBlock;
    hooks.sort((a, b) => Number(a.fn.name === LAST_HOOK) - Number(b.fn.name === LAST_HOOK));
  }
}
