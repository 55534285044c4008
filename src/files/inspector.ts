import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FileFacts } from './domain/file-facts';
import type { Inspection } from './inspection';
import { createInspectionCache } from './inspection-cache';
import type { InspectionJob, InspectionReport } from './inspection-thread';

/** Looks into files in threads of its own, so that a heavy or hostile one neither blocks nor outlives its time. */
export interface FileInspector {
  /**
   * @param job with `sha256`, content that was looked into before is not looked into again
   * @returns facts and previews (none when drawing takes too long or too much); or why the file cannot be read
   */
  inspect(job: InspectionJob & { readonly sha256?: string | undefined }): Promise<Inspection>;
  close(): Promise<void>;
}

/** For the facts, and again for the previews. */
const STAGE_TIMEOUT_MS = 30_000;
/** For a thread to come up on a busy machine, which is not the file's fault. */
const START_TIMEOUT_MS = 60_000;

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

  const cache = createInspectionCache();

  const inspectNow = async (job: InspectionJob): Promise<Inspection> => {
    const thread = await acquire();
    thread.ref();
    const { inspection, sound } = await runJob(thread, job, stageTimeoutMs);
    release(thread, sound);
    if (inspection instanceof Error) throw inspection;
    return inspection;
  };

  return {
    async inspect({ path, mimeType, sha256 }) {
      const job = { path, mimeType };
      return sha256 === undefined
        ? await inspectNow(job)
        : await cache.get(`${sha256} ${mimeType}`, () => inspectNow(job));
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
    let begun = false;
    let facts: FileFacts | undefined;
    let timer: NodeJS.Timeout;
    const end = (inspection: Inspection | Error, sound: boolean) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      resolve({ inspection, sound });
    };
    // Before the job has begun, the fault is ours; after the facts are known, it costs the previews only.
    const cutShort = (reason: string) => {
      if (!begun) return end(new Error(`the inspection thread did not come up: ${reason}`), false);
      return end(facts === undefined ? { ok: false, reason } : { ok: true, facts, previews: [] }, false);
    };
    const watch = (timeoutMs: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => cutShort('it takes too long to read'), timeoutMs);
    };
    const onMessage = (report: InspectionReport) => {
      switch (report.stage) {
        case 'begun':
          begun = true;
          return watch(stageTimeoutMs);
        case 'facts':
          facts = report.facts;
          return watch(stageTimeoutMs);
        case 'previews':
          return end({ ok: true, facts: facts!, previews: report.previews }, true);
        case 'unreadable':
          return end({ ok: false, reason: report.reason }, true);
        case 'broken':
          return end(new Error(report.reason), false);
      }
    };
    const onError = (error: Error) =>
      cutShort(begun ? 'it cannot be read in the memory there is' : error.message);
    const onExit = () => cutShort('it cannot be read');
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    watch(START_TIMEOUT_MS);
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
