import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePort, freePort } from './ports';
import { isAlive, processesWithArguments, type StopStep, stopProcess } from './processes';
import { lastLines, type RunningServer, runServer } from './running-server';
import { isHealthy } from './supervisor';

/**
 * Temporal's dynamic configuration. The default rate limits protect a shared cluster. An embedded server serves one
 * engine on one machine, and is limited by its CPU. At 17 workflows per second the higher limits made no difference; they
 * are for faster machines. Fairness serves waiting activities of clients and partners in turn (deploy/compose has it too). It
 * holds within a partition of a task queue, so an embedded server has one of each queue.
 */
const DYNAMIC_CONFIG: Readonly<Record<string, number | boolean>> = {
  'matching.useNewMatcher': true,
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  'frontend.namespaceRPS.visibility': 1_000,
  'history.rps': 100_000,
  'matching.rps': 100_000,
};

/**
 * In a few comparisons on a busy machine, a write-ahead log was faster than SQLite's rollback journal. Committed data
 * survives a kill of the server, but not always a crash of the machine.
 */
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL'];

const STOP_STEPS: readonly StopStep[] = [
  ['SIGTERM', 15_000],
  ['SIGKILL', 5_000],
];

const databaseFile = (dataDir: string) => join(dataDir, 'temporal', 'temporal.db');

/** A start takes 0.2 s on an idle machine, and many times that on a busy one. */
const START_TIMEOUT_MS = 60_000;

export interface EmbeddedTemporal extends RunningServer {
  /** host:port of the frontend. */
  readonly address: string;
  readonly uiUrl: string;
  /** Health check URL. It responds with 200 while the server can read the namespace from its database. */
  readonly healthUrl: string;
}

/**
 * Starts the Temporal development server on the database file of a data folder. A server that a killed stack left running
 * is stopped first, because two servers would corrupt the file. Claim the data folder before.
 * @param binary path of the Temporal CLI
 * @throws Error with the end of the server's log when the server does not start
 */
export async function startTemporal(
  dataDir: string,
  binary: string,
  namespace: string,
  report: (line: string) => void,
): Promise<EmbeddedTemporal> {
  await mkdir(join(dataDir, 'temporal'), { recursive: true });
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  await stopLeftoverTemporal(dataDir, report);
  const logFile = join(dataDir, 'logs', 'temporal.log');

  const taken: number[] = [];
  while (taken.length < 10) {
    const port = await choosePort(dataDir, 'temporal', taken);
    const uiPort = await choosePort(dataDir, 'temporalUi', [...taken, port]);
    const httpPort = await freePort();
    const server = await runServer({
      name: 'Temporal',
      path: binary,
      args: [
        ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
        ...['--http-port', String(httpPort), '--metrics-port', String(await freePort())],
        ...['--db-filename', databaseFile(dataDir), '--namespace', namespace],
        ...['--log-level', 'warn', '--log-format', 'json'],
        ...SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
        ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
      ],
      env: serverEnvironment(),
      stopSteps: STOP_STEPS,
      logFile,
    });
    // The health check uses the HTTP port, which only this server knows. Another server may listen on the frontend port.
    const healthUrl = `http://127.0.0.1:${httpPort}/api/v1/namespaces/${encodeURIComponent(namespace)}`;
    if (await Promise.race([server.died.then(() => false), isReady(server.pid, healthUrl)])) {
      return { ...server, address: `127.0.0.1:${port}`, uiUrl: `http://127.0.0.1:${uiPort}`, healthUrl };
    }
    await server.stop();
    if (!/address already in use|can't set .*port/i.test(await server.output())) {
      throw new Error(`Temporal did not start. The end of ${logFile}:\n${await lastLines(logFile)}`);
    }
    taken.push(port, uiPort);
  }
  throw new Error('Temporal found no free port');
}

/** Waits until the health check succeeds. Returns false when the process has ended or the start timed out. */
async function isReady(pid: number, url: string): Promise<boolean> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; isAlive(pid) && Date.now() < deadline; await sleep(20)) {
    if (await isHealthy(url)) return true;
  }
  return false;
}

/** Stops the Temporal server that a killed stack left running. Claim the data folder before. */
export async function stopLeftoverTemporal(dataDir: string, report: (line: string) => void): Promise<void> {
  for (const left of await processesWithArguments('start-dev', databaseFile(dataDir))) {
    report(`Temporal: stopping the server that a previous start left running (process ${left.pid})`);
    await stopProcess(left, STOP_STEPS);
  }
}

/** Returns the environment without the TEMPORAL_* variables, which the CLI would read. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}
