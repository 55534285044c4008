import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines } from './files';
import { isHealthy } from './health-check';
import { choosePort, freePort } from './ports';
import { isAlive, processesWithArguments, type StopStep, stopProcess } from './processes';
import { type RunningServer, runServer } from './running-server';

/**
 * Keys of Temporal's dynamic configuration. The rate limits protect a shared cluster; here the server serves one engine
 * on one machine, whose limit is the processor. (No gain was seen at 17 runs a second: they are for faster machines.)
 */
const DYNAMIC_CONFIG: Readonly<Record<string, number>> = {
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  'frontend.namespaceRPS.visibility': 1_000,
  'history.rps': 100_000,
  'matching.rps': 100_000,
};

/**
 * A write-ahead log was faster than SQLite's own journal in each of the few runs that compared them; by how much is not
 * settled, since the machine was busy. What the server has answered survives its being killed, if not the machine's.
 */
const SQLITE_PRAGMAS = ['journal_mode=WAL', 'synchronous=NORMAL'];

const STOP_STEPS: readonly StopStep[] = [
  ['SIGTERM', 15_000],
  ['SIGKILL', 5_000],
];

const databaseFile = (dataDir: string) => join(dataDir, 'temporal', 'temporal.db');

/** Far above the fifth of a second that a start takes on an idle machine: a busy one may take many times that. */
const START_TIMEOUT_MS = 60_000;

export interface EmbeddedTemporal extends RunningServer {
  /** host:port of the frontend. */
  readonly address: string;
  readonly uiUrl: string;
  /** Answers 200 while the namespace can be read from the database. */
  readonly healthUrl: string;
}

/**
 * Starts the development server on the database file of a data folder. A server that a killed stack left behind is
 * stopped first: two on one file would spoil it. The caller holds the data folder.
 * @param binary path of the Temporal CLI
 * @throws Error with the server's own last words when it does not come up
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
        ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
          '--dynamic-config-value',
          `${key}=${value}`,
        ]),
      ],
      env: serverEnvironment(),
      stopSteps: STOP_STEPS,
      logFile,
    });
    // The HTTP port that this process alone was given: the frontend port may answer because another server was faster.
    const healthUrl = `http://127.0.0.1:${httpPort}/api/v1/namespaces/${encodeURIComponent(namespace)}`;
    if (await Promise.race([server.died.then(() => false), isReady(server.pid, healthUrl)])) {
      return { ...server, address: `127.0.0.1:${port}`, uiUrl: `http://127.0.0.1:${uiPort}`, healthUrl };
    }
    await server.stop();
    if (!/address already in use|can't set .*port/i.test(await server.output())) {
      throw new Error(`Temporal does not start. The end of ${logFile}:\n${await lastLines(logFile)}`);
    }
    taken.push(port, uiPort);
  }
  throw new Error('Temporal found no port that it could listen on');
}

/** Up when the namespace answers. */
async function isReady(pid: number, url: string): Promise<boolean> {
  for (
    const deadline = Date.now() + START_TIMEOUT_MS;
    isAlive(pid) && Date.now() < deadline;
    await sleep(20)
  ) {
    if (await isHealthy(url)) return true;
  }
  return false;
}

/** Stops the server that a killed stack of this data folder left running. The caller holds the data folder. */
export async function stopLeftoverTemporal(dataDir: string, report: (line: string) => void): Promise<void> {
  for (const left of await processesWithArguments('start-dev', databaseFile(dataDir))) {
    report(`Temporal: stopping the server that a killed start left running (process ${left.pid})`);
    await stopProcess(left, STOP_STEPS);
  }
}

/** Without the TEMPORAL_* variables, which the CLI would read as its own. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}
