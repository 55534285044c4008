import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FileFacts } from './domain/file-facts';
import type { InspectionJob, InspectionReport } from './inspection-thread';
import type { Preview } from './previews';

export type Inspection =
  | { readonly ok: true; readonly facts: FileFacts; readonly previews: readonly Preview[] }
  | { readonly ok: false; readonly reason: string };

/** Looks into files in threads of its own, so that a heavy or hostile one neither blocks nor outlives its time. */
export interface FileInspector {
  /** @returns facts and previews (none when drawing takes too long or too much); or why the file cannot be read */
  inspect(job: InspectionJob): Promise<Inspection>;
  close(): Promise<void>;
}

/** For the facts, and again for the previews. */
const STAGE_TIMEOUT_MS = 30_000;

export function createFileInspector(options: { stageTimeoutMs?: number } = {}): FileInspector {
  const stageTimeoutMs = options.stageTimeoutMs ?? STAGE_TIMEOUT_MS;
  const mostThreads = Math.max(1, Math.min(4, availableParallelism() - 1));
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const waiting: ((thread: Worker) => void)[] = [];

  const start = (): Worker => {
    const thread = startThread();
    all.add(thread);
    thread.once('exit', () => {
      all.delete(thread);
      const at = idle.indexOf(thread);
      if (at !== -1) idle.splice(at, 1);
    });
    return thread;
  };
  const acquire = async (): Promise<Worker> => {
    const free = idle.pop();
    if (free !== undefined) return free;
    if (all.size < mostThreads) return start();
    return await new Promise((resolve) => waiting.push(resolve));
  };
  const release = (thread: Worker, sound: boolean): void => {
    if (!sound) {
      all.delete(thread);
      void thread.terminate();
    }
    const next = waiting.shift();
    if (next !== undefined) next(sound ? thread : start());
    else if (sound) {
      // An idle thread does not keep the process alive.
      thread.unref();
      idle.push(thread);
    }
  };

  return {
    async inspect(job) {
      const thread = await acquire();
      thread.ref();
      const { inspection, sound } = await runJob(thread, job, stageTimeoutMs);
      release(thread, sound);
      if (inspection instanceof Error) throw inspection;
      return inspection;
    },
    async close() {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}

/** Follows one job through its stages; `sound`: the thread can take another. */
function runJob(
  thread: Worker,
  job: InspectionJob,
  stageTimeoutMs: number,
): Promise<{ inspection: Inspection | Error; sound: boolean }> {
  return new Promise((resolve) => {
    let facts: FileFacts | undefined;
    let timer: NodeJS.Timeout;
    const end = (inspection: Inspection | Error, sound: boolean) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      resolve({ inspection, sound });
    };
    // What ends the thread after the facts are known costs the previews only.
    const cutShort = (reason: string) =>
      end(facts === undefined ? { ok: false, reason } : { ok: true, facts, previews: [] }, false);
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => cutShort('it takes too long to read'), stageTimeoutMs);
    };
    const onMessage = (report: InspectionReport) => {
      switch (report.stage) {
        case 'facts':
          facts = report.facts;
          return watch();
        case 'previews':
          return end({ ok: true, facts: facts!, previews: report.previews }, true);
        case 'unreadable':
          return end({ ok: false, reason: report.reason }, true);
        case 'broken':
          return end(new Error(report.reason), false);
      }
    };
    const onError = () => cutShort('it cannot be read in the memory there is');
    const onExit = () => cutShort('it cannot be read');
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    watch();
    thread.postMessage(job);
  });
}

/** Under the tests the sources run as they are: the thread then translates them as jest does. */
const FROM_SOURCES = `
const { transformFileSync } = require('@swc/core');
require.extensions['.ts'] = (module, path) =>
  module._compile(
    transformFileSync(path, { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } }).code,
    path,
  );
require(require('node:worker_threads').workerData.entry);`;

function startThread(): Worker {
  const fromSources = __filename.endsWith('.ts');
  const entry = join(__dirname, `inspection-thread.${fromSources ? 'ts' : 'js'}`);
  return fromSources ? new Worker(FROM_SOURCES, { eval: true, workerData: { entry } }) : new Worker(entry);
}
