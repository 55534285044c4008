// Not piscina (5.3.2): with idleTimeout, it starts no new thread after an abort has terminated one, and queued tasks wait forever.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FileFacts } from './domain/file-facts';
import type { Inspection } from './inspection';
import { createInspectionCache } from './inspection-cache';
import type { InspectionJob, InspectionReport } from './inspection-thread';

/** Inspects files in threads with a time limit, so that complex or hostile files do not block other work. */
export interface FileInspector {
  /**
   * @param job with `sha256`, content that was inspected before is not inspected again
   * @returns facts and previews (none when rendering takes too long or the file is too large), or why the file cannot be read
   * @throws Error when the thread does not start, or for a bug
   */
  inspect(job: InspectionJob & { readonly sha256?: string | undefined }): Promise<Inspection>;
  close(): Promise<void>;
}

/** Time limit for the facts, and again for the previews. */
const STAGE_TIMEOUT_MS = 30_000;
/** Time limit for the start of a thread on a busy machine. It is separate, because a slow start is not a fault of the file. */
const START_TIMEOUT_MS = 60_000;

export function createFileInspector(options: { stageTimeoutMs?: number } = {}): FileInspector {
  const stageTimeoutMs = options.stageTimeoutMs ?? STAGE_TIMEOUT_MS;
  const maxThreads = Math.max(1, Math.min(4, availableParallelism() - 1));
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const waiting: ((thread: Worker) => void)[] = [];

  const start = (): Worker => {
    const thread = startThread();
    all.add(thread);
    thread.once('exit', () => {
      all.delete(thread);
      const index = idle.indexOf(thread);
      if (index !== -1) idle.splice(index, 1);
    });
    return thread;
  };
  const acquire = async (): Promise<Worker> => {
    const free = idle.pop();
    if (free !== undefined) return free;
    if (all.size < maxThreads) return start();
    return await new Promise((resolve) => waiting.push(resolve));
  };
  const release = (thread: Worker, reusable: boolean): void => {
    if (!reusable) {
      all.delete(thread);
      void thread.terminate();
    }
    const next = waiting.shift();
    if (next !== undefined) next(reusable ? thread : start());
    else if (reusable) {
      // An idle thread does not keep the process alive.
      thread.unref();
      idle.push(thread);
    }
  };

  const cache = createInspectionCache();

  const inspectNow = async (job: InspectionJob): Promise<Inspection> => {
    const thread = await acquire();
    thread.ref();
    const { inspection, reusable } = await runJob(thread, job, stageTimeoutMs);
    release(thread, reusable);
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

/** Runs a job in a thread. `reusable` is true when the thread can run another job. */
function runJob(
  thread: Worker,
  job: InspectionJob,
  stageTimeoutMs: number,
): Promise<{ inspection: Inspection | Error; reusable: boolean }> {
  return new Promise((resolve) => {
    let started = false;
    let facts: FileFacts | undefined;
    let timer: NodeJS.Timeout;
    const end = (inspection: Inspection | Error, reusable: boolean) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      resolve({ inspection, reusable });
    };
    // Before the start of the job, this is an internal error. After the facts are known, only the previews are missing.
    const interrupt = (reason: string) => {
      if (!started) return end(new Error(`the inspection thread did not start: ${reason}`), false);
      return end(facts === undefined ? { ok: false, reason } : { ok: true, facts, previews: [] }, false);
    };
    const setTimeLimit = (timeoutMs: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => interrupt('reading it takes too long'), timeoutMs);
    };
    const onMessage = (report: InspectionReport) => {
      switch (report.stage) {
        case 'started':
          started = true;
          return setTimeLimit(stageTimeoutMs);
        case 'facts':
          facts = report.facts;
          return setTimeLimit(stageTimeoutMs);
        case 'previews':
          return end({ ok: true, facts: facts!, previews: report.previews }, true);
        case 'unreadable':
          return end({ ok: false, reason: report.reason }, true);
        case 'failed':
          return end(new Error(report.reason), false);
      }
    };
    const onError = (error: Error) => interrupt(started ? 'reading it takes too much memory' : error.message);
    const onExit = () => interrupt('the inspection thread ended');
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    setTimeLimit(START_TIMEOUT_MS);
    thread.postMessage(job);
  });
}

/** Code that loads a TypeScript source and compiles it as jest does. Tests run the sources. */
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
