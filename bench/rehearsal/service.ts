import { setTimeout as sleep } from 'node:timers/promises';
import type { StopStep } from '../../packages/embedded-servers/processes';
import { type RunningServer, runServer } from '../../packages/embedded-servers/running-server';
import { isHealthy } from '../../packages/embedded-servers/supervisor';

/** Time that a process has for its stop, as `stop_grace_period` in docker-compose.yml. */
const STOP_STEPS: readonly StopStep[] = [
  ['SIGTERM', 30_000],
  ['SIGKILL', 5_000],
];
const READY_WITHIN_MS = 180_000;

/** A process of the topology, which can be stopped and started again. */
export interface Service {
  readonly name: string;
  /** Process id of the current run. */
  readonly pid: number;
  /** Starts the process and waits until it is ready. */
  start(): Promise<void>;
  /** Stops the process and waits for its end. Does nothing when it is not running. */
  stop(): Promise<void>;
  /** Why the process ended without `stop`, one text for each time. */
  readonly unexpectedExits: readonly string[];
}

/** Creates a service. @param launch starts the process and resolves when it is ready */
export function createService(name: string, launch: () => Promise<RunningServer>): Service {
  let running: RunningServer | undefined;
  let pid = 0;
  const unexpectedExits: string[] = [];
  return {
    name,
    get pid() {
      return pid;
    },
    unexpectedExits,
    async start() {
      const server = await launch();
      running = server;
      pid = server.pid;
      void server.died.then((error) => {
        if (error === undefined) return;
        unexpectedExits.push(error.message);
        if (running === server) running = undefined;
      });
    },
    async stop() {
      const server = running;
      running = undefined;
      await server?.stop();
    },
  };
}

/** A program that runs as a service. */
export interface ServiceProgram {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Responds with a success status when the process is ready. */
  readonly healthUrl: string;
}

/** Creates the service of a program. */
export function programService(program: ServiceProgram): Service {
  const { name, healthUrl } = program;
  return createService(name, async () => {
    const server = await runServer({ ...program, stopSteps: STOP_STEPS });
    const ended = server.died.then((error) => error ?? new Error(`${name} was stopped`));
    await untilReady(name, healthUrl, ended).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    return server;
  });
}

/** Waits until a URL responds. @throws Error when the process ends, or is not ready in time */
async function untilReady(name: string, url: string, ended: Promise<Error>): Promise<void> {
  let failure: Error | undefined;
  void ended.then((error) => {
    failure = error;
  });
  for (const deadline = Date.now() + READY_WITHIN_MS; !(await isHealthy(url)); await sleep(100)) {
    if (failure !== undefined) throw failure;
    if (Date.now() > deadline) throw new Error(`${name} was not ready after ${READY_WITHIN_MS / 1_000} s`);
  }
}
