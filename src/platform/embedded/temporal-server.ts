import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { lastLines, writeFileAtomically } from './files';
import { choosePort, freePort, isListening } from './ports';
import {
  commandLine,
  identify,
  isRunning,
  type ProcessIdentity,
  type StopStep,
  stopProcess,
} from './processes';
import { type RunningServer, watchServer } from './running-server';

/**
 * The server's defaults protect a shared cluster; here it serves one engine on one machine, whose limit is the
 * processor. Keys of Temporal's dynamic configuration.
 */
const DYNAMIC_CONFIG: Readonly<Record<string, number | boolean>> = {
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  'frontend.namespaceRPS.visibility': 1_000,
  'history.rps': 100_000,
  'matching.rps': 100_000,
  // One task queue partition: on one machine more of them only forward tasks to each other.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

const STOP_STEPS: readonly StopStep[] = [
  ['SIGTERM', 15_000],
  ['SIGKILL', 5_000],
];

const DATABASE_FILE = 'temporal.db';
/** Process id and start time of the server, for the start after a hard kill. */
const IDENTITY_FILE = 'server.json';

/** First start on a slow disk; later ones take about a second. */
const START_TIMEOUT_MS = 60_000;

export interface EmbeddedTemporal extends RunningServer {
  /** host:port of the frontend. */
  readonly address: string;
  readonly uiUrl: string;
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
  const home = join(dataDir, 'temporal');
  const logFile = join(dataDir, 'logs', 'temporal.log');
  await mkdir(home, { recursive: true });
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  const databaseFile = join(home, DATABASE_FILE);
  const identityFile = join(home, IDENTITY_FILE);
  await stopLeftoverTemporal(dataDir, report);

  const taken: number[] = [];
  for (;;) {
    const port = await choosePort(dataDir, 'temporal', taken);
    const uiPort = await choosePort(dataDir, 'temporalUi', [...taken, port]);
    const address = `127.0.0.1:${port}`;
    const log = await open(logFile, 'a');
    const logStart = (await log.stat()).size;
    const child = spawn(
      binary,
      [
        ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
        ...['--http-port', String(await freePort()), '--metrics-port', String(await freePort())],
        ...[
          '--db-filename',
          databaseFile,
          '--namespace',
          namespace,
          '--log-level',
          'warn',
          '--log-format',
          'json',
        ],
        // Kill-safe in the database's own sense: what it has answered survives the process, if not the machine.
        ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
        ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
          '--dynamic-config-value',
          `${key}=${value}`,
        ]),
      ],
      {
        env: serverEnvironment(),
        // Its own process group: Ctrl-C is for us, who stop the servers last. A file, not a pipe: it outlives us.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      },
    );
    const server = watchServer('Temporal', child, STOP_STEPS, logFile);
    await log.close();
    if (child.pid !== undefined)
      await writeFileAtomically(identityFile, JSON.stringify(await identify(child.pid)));
    const up = await Promise.race([server.died.then(() => false), isReady(port, namespace)]);
    if (up) {
      return {
        ...server,
        address,
        uiUrl: `http://127.0.0.1:${uiPort}`,
        stop: async () => {
          await server.stop();
          await rm(identityFile, { force: true });
        },
      };
    }
    await server.stop();
    const said = (await readFile(logFile)).subarray(logStart).toString();
    if (taken.length < 10 && /address already in use|can't set .*port/i.test(said)) {
      taken.push(port, uiPort);
      continue;
    }
    throw new Error(`Temporal does not start. The end of ${logFile}:\n${await lastLines(logFile)}`);
  }
}

/** Up when the namespace answers: the frontend listens before that. */
async function isReady(port: number, namespace: string): Promise<boolean> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await sleep(20)) {
    // A gRPC channel that was refused waits a second before it tries again, and the server is up in a fifth of one.
    if (!(await isListening(port))) continue;
    const connection = Connection.lazy({ address: `127.0.0.1:${port}` });
    try {
      await connection.withDeadline(Date.now() + 2_000, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
      return true;
    } catch {
      // Not yet.
    } finally {
      await connection.close();
    }
  }
  return false;
}

/** Stops the server that a killed stack of this data folder left running. The caller holds the data folder. */
export async function stopLeftoverTemporal(dataDir: string, report: (line: string) => void): Promise<void> {
  const databaseFile = join(dataDir, 'temporal', DATABASE_FILE);
  const identityFile = join(dataDir, 'temporal', IDENTITY_FILE);
  let left: ProcessIdentity;
  try {
    left = JSON.parse(await readFile(identityFile, 'utf8'));
  } catch {
    return;
  }
  if ((await isRunning(left)) && (await commandLine(left.pid)).includes(databaseFile)) {
    report(`Temporal: stopping the server that a killed start left running (process ${left.pid})`);
    await stopProcess(left, STOP_STEPS);
  }
  await rm(identityFile, { force: true });
}

/** Without the TEMPORAL_* variables, which the CLI would read as its own. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}
