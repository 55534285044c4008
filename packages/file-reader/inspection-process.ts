import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { confined, whyNotConfined } from './confinement';
import { type FileFacts, type FileProperties, unmeasured } from './facts';
import type { FileToInspect, InspectionJob, InspectionReport, Preview } from './inspection-entry';
import type { ImagePrint, UnreadableFile } from './opened-file';

/** Properties and facts of a file, or the reason why there are none. */
export type Measurement =
  | {
      readonly ok: true;
      readonly properties: FileProperties;
      readonly facts: FileFacts;
      /** False when the process ended before it had the facts. */
      readonly isFinal: boolean;
    }
  | {
      readonly ok: false;
      readonly code: UnreadableFile['code'];
      /** The client reads it. */
      readonly reason: string;
      /** False when the process ended without a result: it took too long, or too much memory. Another one may succeed. */
      readonly isFinal: boolean;
      /** What went wrong, for the log. */
      readonly error?: string;
    };

/** The previews of a file. */
export interface Rendering {
  /** None when the file is `unrendered`. */
  readonly previews: readonly Preview[];
  /**
   * `slow`: drawing the page takes too long. `failed`: it ends with an error, or takes too much memory. `large`: an image has
   * more pixels than are drawn.
   */
  readonly unrendered: 'slow' | 'failed' | 'large' | null;
  /** False when a busy machine may be the reason why the file is `slow`. */
  readonly isFinal: boolean;
}

/** Limits of an inspection process. */
export interface InspectionLimits {
  /** Timeout for the properties, again for the facts, and again for the previews, in milliseconds. */
  readonly stepTimeoutMs: number;
  /** CPU time for the previews, in milliseconds. */
  readonly renderCpuMs: number;
  /** Memory that the process may use, in bytes. */
  readonly memoryBytes: number;
  /** Folder of the files. Where the system can confine the process, it reads no other files of this user. */
  readonly folder: string;
}

/** A process that opens one file at a time. It has `ended` after a result that is not its own report. */
export interface InspectionProcess {
  measure(file: FileToInspect): Promise<Measurement>;
  /** @param print how an image is printed. Null: with all its pixels, and a PDF */
  render(file: FileToInspect, print: ImagePrint | null): Promise<Rendering>;
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
  /** Runs a job. After an interruption the process has ended: what its code holds may be damaged. */
  const run = async (job: InspectionJob, onReport?: (report: InspectionReport) => void) => {
    child.ref();
    child.channel?.ref();
    const result = await runJob(child, job, limits.stepTimeoutMs, onReport);
    if (result.kind === 'interrupted') await end();
    return result;
  };
  return {
    async measure(file) {
      let properties: FileProperties | undefined;
      const result = await run({ ...file, part: 'facts' }, (report) => {
        if (report.kind === 'properties') ({ properties } = report);
      });
      if (result.kind === 'unreadable') return { ok: false, code: result.code, reason: result.reason, isFinal: true };
      if (result.kind !== 'interrupted') {
        const { facts } = result as Extract<LastReport, { kind: 'facts' }>;
        return { ok: true, properties: properties!, facts, isFinal: true };
      }
      const { cause, error } = result;
      const reason = INTERRUPTIONS[cause];
      return properties === undefined
        ? { ok: false, code: 'file_unreadable', reason, isFinal: false, ...(error && { error }) }
        : { ok: true, properties, facts: unmeasured(reason), isFinal: false };
    },
    async render(file, print) {
      const result = await run({ ...file, part: 'previews', cpuMs: limits.renderCpuMs, print });
      if (result.kind === 'previews') {
        const { previews } = result;
        return { previews, unrendered: previews.length === 0 ? 'large' : null, isFinal: true };
      }
      const isSlow = result.kind === 'interrupted' && (result.cause === 'time' || result.cause === 'cpu');
      if (!isSlow) return { previews: [], unrendered: 'failed', isFinal: true };
      return { previews: [], unrendered: 'slow', isFinal: result.cause === 'cpu' };
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

/** What ends a job without its last report, as a client reads it. */
const INTERRUPTIONS = {
  time: 'reading it takes too long',
  cpu: 'reading it takes too long',
  memory: 'reading it takes too much memory',
  bug: 'reading it fails',
} as const;

interface Interruption {
  readonly kind: 'interrupted';
  readonly cause: keyof typeof INTERRUPTIONS;
  /** For the log. */
  readonly error?: string;
}

type LastReport = Extract<InspectionReport, { kind: 'facts' | 'previews' | 'unreadable' }>;

/** Runs a job. Returns its last report, or why there is none. @param onReport gets the reports before */
function runJob(
  child: ChildProcess,
  job: InspectionJob,
  stepTimeoutMs: number,
  onReport?: (report: InspectionReport) => void,
): Promise<LastReport | Interruption> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    const finish = (result: LastReport | Interruption) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      resolve(result);
    };
    const interrupt = (cause: Interruption['cause'], error?: string) =>
      finish({ kind: 'interrupted', cause, ...(error && { error }) });
    const setTimeLimit = () => {
      clearTimeout(timer);
      timer = setTimeout(() => interrupt('time'), stepTimeoutMs);
    };
    const onMessage = (message: unknown) => {
      const report = message as InspectionReport;
      switch (report.kind) {
        case 'facts':
        case 'previews':
        case 'unreadable':
          return finish(report);
        case 'failed':
          return interrupt('bug', report.error);
        default:
          onReport?.(report);
          setTimeLimit();
      }
    };
    const onExit = (code: number | null, signal: NodeJS.Signals | null) =>
      interrupt(signal === 'SIGVTALRM' ? 'cpu' : 'memory', `the inspection process ended with ${signal ?? code}`);
    child.on('message', onMessage).on('exit', onExit);
    setTimeLimit();
    child.send(job, (error) => {
      if (error !== null) interrupt('bug', error.message);
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
