import { runBenchStack } from '../support/processes/bench-stack';
import { failProcess, serveRequests, startRequestProcess } from '../support/processes/request-process';
import { createFixture, type Fixture } from './fixture';

interface Responses {
  readonly fill: number;
  readonly vacuum: null;
  readonly round: Readonly<Record<string, number>>;
}

type Request =
  | { readonly work: 'fill'; readonly from: number; readonly to: number }
  | { readonly work: 'vacuum' }
  | { readonly work: 'round'; readonly size: number; readonly postbacks: number };

const SETTINGS = { RECEIVED_DEADLINE: 7 * 86_400_000, LOG_LEVEL: 'error' } as const;

/** Time in which a stack stops. */
const STOPPED_WITHIN_MS = 60_000;

/** A complete stack in a process of its own. A new process caches no workflows and has a small heap. */
export interface StackProcess {
  /** Inserts orders and starts their workflows. Returns the time in seconds until all of them run. */
  fill(from: number, to: number): Promise<number>;
  vacuum(): Promise<void>;
  /** Measures everything once. Returns milliseconds by what was measured. */
  round(size: number, postbacks: number): Promise<Responses['round']>;
  stop(): Promise<void>;
}

/**
 * Starts a stack on the servers of a data folder.
 * @param temporalAddress host:port of a Temporal server. Unset: the development server, which the stack starts
 */
export async function startStackProcess(folder: string, temporalAddress?: string): Promise<StackProcess> {
  const args = temporalAddress === undefined ? [folder] : [folder, temporalAddress];
  const { request, stop } = await startRequestProcess(__filename, args);
  const ask = async <W extends keyof Responses>(wanted: Request & { readonly work: W }) =>
    (await request(wanted)) as Responses[W];
  return {
    fill: (from, to) => ask({ work: 'fill', from, to }),
    vacuum: async () => void (await ask({ work: 'vacuum' })),
    round: (size, postbacks) => ask({ work: 'round', size, postbacks }),
    stop,
  };
}

/** The process. Its first message says that the stack has started. */
async function serve(folder: string, temporalAddress: string | undefined): Promise<void> {
  // Ctrl-C on a terminal reaches this process too. Its parent ends then, and it stops its servers, as it does at the end.
  process.on('SIGINT', () => undefined);
  const disconnected = new Promise((resolve) => process.once('disconnect', resolve));
  // A start and a stop last longer when Temporal has ended with the parent. An exit ends the servers too.
  void disconnected.then(() => setTimeout(() => process.exit(), STOPPED_WITHIN_MS).unref());
  const settings = temporalAddress === undefined ? SETTINGS : { ...SETTINGS, TEMPORAL_ADDRESS: temporalAddress };
  await runBenchStack(folder, settings, async (stack) => {
    const fixture = await createFixture(stack);
    serveRequests<Request>((request) => handle(fixture, request));
    await disconnected;
  });
  process.exit();
}

async function handle(fixture: Fixture, request: Request): Promise<Responses[keyof Responses]> {
  if (request.work === 'fill') return await fixture.fill(request.from, request.to);
  if (request.work === 'round') return await fixture.round(request.size, request.postbacks);
  await fixture.vacuum();
  return null;
}

if (require.main === module) serve(process.argv[2]!, process.argv[3]).catch(failProcess);
