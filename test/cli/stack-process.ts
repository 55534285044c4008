import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CredentialsFile } from '../../cli/credentials';
import { createPresslineClient, type PresslineClient } from '../../client/pressline-client';
import { freePort } from '../../packages/embedded-servers/ports';
import { type ProcessIdentity, processesWithArguments } from '../../packages/embedded-servers/processes';
import type { Seen } from '../../sandbox';
import { projectRoot } from '../../src/platform/project-root';
import { compiledProgram } from '../support/compiled-program';
import { eventually } from '../support/eventually';
import { testTemporalBinary } from '../support/servers';

/** A data folder with free ports. The stacks of a test start on it one after another. */
export class DataFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'pressline-cli-'));
  private port = 0;

  async withFreePorts(): Promise<this> {
    // When root runs the tests, Postgres runs as another user and must be able to enter the folder.
    chmodSync(this.path, 0o755);
    this.port = await freePort();
    const names = ['postgres', 'temporal', 'temporalUi', 'sandbox'] as const;
    const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await freePort()])));
    writeFileSync(join(this.path, 'ports.json'), JSON.stringify(ports));
    return this;
  }

  get environment(): NodeJS.ProcessEnv {
    const { PATH, HOME, TZ, NODE_COMPILE_CACHE } = process.env;
    return {
      PATH,
      HOME,
      TZ,
      NODE_COMPILE_CACHE,
      DATA_DIR: this.path,
      PORT: String(this.port),
      TEMPORAL_CLI_PATH: testTemporalBinary(),
      SHUTDOWN_GRACE: '2s',
    };
  }

  get credentials(): CredentialsFile {
    return JSON.parse(readFileSync(join(this.path, 'credentials.json'), 'utf8'));
  }

  get client(): PresslineClient {
    const { baseUrl, client } = this.credentials;
    return createPresslineClient({ baseUrl, ...client });
  }

  get sandboxUrl(): string {
    const { sandbox } = JSON.parse(readFileSync(join(this.path, 'ports.json'), 'utf8'));
    return `http://127.0.0.1:${sandbox}`;
  }

  /** Returns the messages that the sandbox partners and carriers received and sent. */
  async seen(): Promise<Seen> {
    const response = await fetch(`${this.sandboxUrl}/control/seen`);
    return (await response.json()) as Seen;
  }

  /** Returns the Postgres and Temporal servers that run on the folder. */
  async servers(): Promise<ProcessIdentity[]> {
    const found = await Promise.all([
      processesWithArguments('-D', join(this.path, 'postgres')),
      this.postgresOfLink(),
      processesWithArguments('start-dev', join(this.path, 'temporal', 'temporal.db')),
    ]);
    return found.flat();
  }

  /** Kills the servers that run on the folder, and deletes it. */
  async remove(): Promise<void> {
    await eventually(async () => {
      const servers = await this.servers();
      for (const { pid } of servers) process.kill(pid, 'SIGKILL');
      return servers.length === 0 ? true : undefined;
    });
    await rm(this.path, { recursive: true, force: true });
  }

  /** Returns the Postgres server of a linked cluster: when root runs the tests, the cluster is in another folder. */
  private async postgresOfLink(): Promise<ProcessIdentity[]> {
    const cluster = await readlink(join(this.path, 'postgres')).catch(() => undefined);
    return cluster === undefined ? [] : await processesWithArguments('-D', cluster);
  }
}

/** A process of the program, started as a user starts it. */
export class Program {
  readonly exit: Promise<number | NodeJS.Signals>;
  output = '';

  private constructor(readonly child: ChildProcess) {
    this.exit = once(child, 'exit').then(([code, signal]) => code ?? signal);
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk) => {
        this.output += chunk;
      });
    }
  }

  /** @param command the command with its arguments, separated by spaces */
  static start(command: string, environment: NodeJS.ProcessEnv, cwd = projectRoot()): Program {
    return new Program(
      spawn(process.execPath, [compiledProgram(), ...command.split(' ')], {
        cwd,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  get pid(): number {
    return this.child.pid!;
  }

  /**
   * Waits until the process has printed a text.
   * @throws Error with the whole output when the process ends before
   */
  async printed(text: string | RegExp): Promise<void> {
    const has = () => (typeof text === 'string' ? this.output.includes(text) : text.test(this.output));
    while (!has()) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`The process ended without printing ${text}:\n${this.output}`);
      await sleep(25);
    }
  }

  get lines(): string[] {
    return this.output.trimEnd().split('\n');
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** Programs and data folders of a test file. After each test the programs are stopped and the folders are deleted. */
export function programFixture() {
  const folders: DataFolder[] = [];
  const programs: Program[] = [];

  afterEach(async () => {
    for (const program of programs.splice(0)) {
      program.kill('SIGTERM');
      await program.exit;
    }
    for (const folder of folders.splice(0)) await folder.remove();
  });

  return {
    async newFolder(): Promise<DataFolder> {
      const folder = await new DataFolder().withFreePorts();
      folders.push(folder);
      return folder;
    },
    start(command: string, environment: NodeJS.ProcessEnv): Program {
      const program = Program.start(command, environment);
      programs.push(program);
      return program;
    },
  };
}
