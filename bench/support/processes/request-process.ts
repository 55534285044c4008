import { type ChildProcess, fork } from 'node:child_process';

/** A process of a benchmark's own, which handles each request with one message. Its first message says that it has started. */
export interface RequestProcess {
  readonly pid: number;
  /** Sends a request. Requests must not overlap. @returns the response @throws Error when the process has ended */
  request(message: object): Promise<unknown>;
  /** Disconnects the process and waits for its end. */
  stop(): Promise<void>;
}

/** Starts a module, which calls `serveRequests`, as a process and waits until it has started. */
export async function startRequestProcess(module: string, args: readonly string[]): Promise<RequestProcess> {
  const child = fork(module, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  await nextMessage(child);
  return {
    pid: child.pid!,
    async request(message) {
      child.send(message);
      return await nextMessage(child);
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await ended;
    },
  };
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`a process has ended: ${child.spawnargs.slice(1).join(' ')}`));
    child.once('exit', ended);
    child.once('message', (response) => {
      child.off('exit', ended);
      resolve(response);
    });
  });
}

/** Handles the requests to this process. A request that fails ends it. */
export function serveRequests<Request>(handle: (request: Request) => Promise<unknown>): void {
  process.on('message', (request: Request) => {
    handle(request).then((response) => process.send!(response ?? null), failProcess);
  });
  process.send!('started');
}

/** Ends this process with an error. */
export function failProcess(error: unknown): void {
  process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
  process.exit(1);
}
