import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { confined, whyNotConfined } from './confinement';
import { type FileFacts, type FileProperties, unmeasured } from './facts';
import type { InspectionJob, InspectionReport, Preview } from './inspection-entry';
import type { UnreadableFile } from './opened-file';

/** The result of an inspection: properties, facts and previews of the file, or the reason why there are none. */
export type Inspection =
  | {
      readonly ok: true;
      readonly properties: FileProperties;
      readonly facts: FileFacts;
      readonly previews: readonly Preview[];
    }
  | {
      readonly ok: false;
      readonly code: UnreadableFile['code'];
      /** The client reads it. */
      readonly reason: string;
      /** False when the inspection ended without a result: it took too long, or its process ended. Another one may succeed. */
      readonly isFinal: boolean;
      /** What went wrong, for the log. */
      readonly error?: string;
    };

/** Limits of an inspection process. */
export interface InspectionLimits {
  /** Timeout for the properties, again for the facts, and again for the previews, in milliseconds. */
  readonly stepTimeoutMs: number;
  /** Memory that the process may use, in bytes. */
  readonly memoryBytes: number;
  /** Folder of the files. Where the system can confine the process, it reads no other files of this user. */
  readonly folder: string;
}

/** A process that inspects one file at a time. */
export interface InspectionProcess {
  /** The process cannot inspect another file when it has `ended`. */
  inspect(job: InspectionJob): Promise<Inspection>;
  readonly ended: boolean;
  /** Lets this process exit while the inspection process is idle. */
  rest(): void;
  /** Kills the process. */
  end(): Promise<void>;
}

/** Timeout for the start of a process on a busy machine. It is separate, because a slow start is not a fault of the file. */
const START_TIMEOUT_MS = 60_000;

/**
 * Data segment that a process needs beyond the memory limit, in bytes: Node and its libraries map writable memory that they
 * do not use. After an inspection, VmData is 880 MB and VmRSS 190 MB (Node 24.21, x64). Where the limit leaves room for
 * more than 1.6 GB, V8 maps another gigabyte for WebAssembly code.
 */
const RESERVED_BYTES = 720 * 1024 * 1024;

/** Objects of JavaScript need little: content is outside of this heap. */
const HEAP_MB = 256;

/**
 * Starts a process.
 * @throws Error when it does not start
 */
export async function startInspectionProcess(limits: InspectionLimits): Promise<InspectionProcess> {
  const child = spawnLimited(limits, (await whyNotConfined()) === null);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await ready(child);
  // Neither the channel nor the output of an idle process keeps this process alive.
  (child.stderr as Socket).unref();
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const end = async () => {
    ended = true;
    child.kill('SIGKILL');
    await exited;
  };
  return {
    async inspect(job) {
      child.ref();
      child.channel?.ref();
      const { inspection, isReusable } = await runJob(child, job, limits.stepTimeoutMs);
      if (!isReusable) await end();
      return inspection;
    },
    get ended() {
      return ended;
    },
    rest() {
      child.unref();
      child.channel?.unref();
    },
    end,
  };
}

/** @throws Error when the process does not report that it is ready */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-2_000);
    });
    const fail = (reason: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`the inspection process did not start: ${reason} ${output}`.trim()));
    };
    const timer = setTimeout(() => fail('it takes too long'), START_TIMEOUT_MS);
    const onExit = (code: number | null, signal: NodeJS.Signals | null) => fail(`it ended with ${signal ?? code}`);
    // Stays: an error without a listener would end this process.
    child.on('error', (error) => fail(error.message));
    child.once('exit', onExit);
    child.once('message', () => {
      clearTimeout(timer);
      child.off('exit', onExit);
      resolve();
    });
  });
}

/** Runs a job. `isReusable` is false when the process has to be replaced. */
function runJob(
  child: ChildProcess,
  job: InspectionJob,
  stepTimeoutMs: number,
): Promise<{ inspection: Inspection; isReusable: boolean }> {
  return new Promise((resolve) => {
    let properties: FileProperties | undefined;
    let facts: FileFacts | undefined;
    let timer: NodeJS.Timeout;
    const finish = (inspection: Inspection, isReusable: boolean) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      resolve({ inspection, isReusable });
    };
    // After the properties are known, only the facts and the previews are missing.
    const interrupt = (reason: string, error?: string) => {
      const known = properties;
      const unknown = {
        ok: false,
        code: 'file_unreadable',
        reason,
        isFinal: false,
        ...(error && { error }),
      } as const;
      const measured = facts ?? unmeasured(reason);
      finish(known === undefined ? unknown : { ok: true, properties: known, facts: measured, previews: [] }, false);
    };
    const setTimeLimit = () => {
      clearTimeout(timer);
      timer = setTimeout(() => interrupt('reading it takes too long'), stepTimeoutMs);
    };
    const onMessage = (message: unknown) => {
      const report = message as InspectionReport;
      switch (report.kind) {
        case 'properties':
          properties = report.properties;
          return setTimeLimit();
        case 'facts':
          facts = report.facts;
          return setTimeLimit();
        case 'previews':
          return finish({ ok: true, properties: properties!, facts: facts!, previews: report.previews }, true);
        case 'unreadable':
          return finish({ ok: false, code: report.code, reason: report.reason, isFinal: true }, true);
        case 'failed':
          return interrupt('reading it fails', report.error);
      }
    };
    const onExit = (code: number | null, signal: NodeJS.Signals | null) =>
      interrupt('reading it takes too much memory', `the inspection process ended with ${signal ?? code}`);
    child.on('message', onMessage).on('exit', onExit);
    setTimeLimit();
    child.send(job, (error) => {
      if (error !== null) interrupt('reading it fails', error.message);
    });
  });
}

/** Code that runs a TypeScript source as Node does, with the imports of this project. Tests run the sources. */
const FROM_SOURCES = `
require('node:module').registerHooks({
  resolve: (name, context, next) =>
    next(name.startsWith('.') && context.parentURL?.endsWith('.ts') ? name + '.ts' : name, context),
});
require(process.argv[1]);`;

/**
 * Spawns the process. It gets no environment variables of this process, which hold secrets. The guard of the process watches
 * its memory everywhere; on Linux the kernel refuses what exceeds the limit.
 */
function spawnLimited({ memoryBytes, folder }: InspectionLimits, isConfined: boolean): ChildProcess {
  const fromSources = __filename.endsWith('.ts');
  const entry = join(__dirname, `inspection-entry.${fromSources ? 'ts' : 'js'}`);
  const bare = [
    process.execPath,
    `--max-old-space-size=${HEAP_MB}`,
    ...(fromSources ? ['--experimental-transform-types', '--eval', FROM_SOURCES, entry] : [entry]),
  ];
  const node = isConfined ? confined(bare, [folder]) : bare;
  const dataKilobytes = Math.ceil((memoryBytes + RESERVED_BYTES) / 1024);
  // `exec` keeps the process id and the channel.
  const command =
    process.platform === 'linux'
      ? ['/bin/sh', '-c', 'ulimit -d "$0" && exec "$@"', String(dataKilobytes), ...node]
      : node;
  return spawn(command[0]!, command.slice(1), {
    // A package asks for the home folder, which Node looks up in a file when it has no HOME.
    env: { HOME: '/', INSPECTION_MEMORY_BYTES: String(memoryBytes), INSPECTION_PARENT: String(process.pid) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
}
