import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { createPresslineClient, type SubmittedOrder } from '../../client/pressline-client';
import { type Config, ConfigError } from '../../src/platform/config';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import type { Logger } from '../../src/platform/logging';
import { type RunningStack, startStack } from '../start-stack';
import { type StopSignals, untilStopped } from '../stop-signals';
import { showSteps } from './display';
import { saveDocuments } from './documents';
import { DEMO_STEPS, type DemoStep, type Sighting } from './milestones';
import { demoOrder } from './sample-order';

export interface DemoOptions {
  readonly workflowBundle: { readonly codePath: string };
  readonly signals: StopSignals;
  readonly say: (line: string) => void;
}

/** The terminal shows the order; the log goes here. */
export const demoLogFile = (config: Config) => join(config.DATA_DIR, 'logs', 'pressline.log');

const LOOK_MS = 60;
/** So long nothing has to happen before the demo stops waiting. */
const PATIENCE_MS = 60_000;

/** The order went another way than a demo's should; the message says where to look. */
class DemoStopped extends Error {}

/**
 * Starts everything, sends one order in, and shows what happens to it until it is delivered; then leaves the stack
 * running.
 * @returns the process's exit code
 */
export async function runDemo(config: Config, log: Logger, options: DemoOptions): Promise<number> {
  const { say, signals, workflowBundle } = options;
  if (config.SANDBOX !== 'auto') {
    throw new ConfigError(
      'Wrong configuration: SANDBOX: the demo needs its partners at work; set auto or nothing',
    );
  }
  const live = process.stdout.isTTY === true;
  let stack: RunningStack | undefined;
  await showSteps(
    [
      {
        title: 'Servers',
        async run(report) {
          const began = Date.now();
          stack = await startStack(config, log, { workflowBundle, report });
          return `Postgres, Temporal, API, worker and sandbox are up (${seconds(Date.now() - began)})`;
        },
      },
    ],
    { live, say },
  );
  const running = stack!;
  const asked = signals.wait();
  const stopped = new AbortController();
  asked.then(() => stopped.abort());
  const demo = new Demo(running, stopped.signal);
  let failed = false;
  try {
    await showSteps(demo.steps(), { live, say });
  } catch (error) {
    failed = !stopped.signal.aborted;
    if (failed) {
      log.error({ err: error }, 'the demo stopped');
      say(error instanceof DemoStopped ? error.message : `The demo stopped: ${(error as Error).message}`);
    }
  }
  if (!stopped.signal.aborted) sayWhereToLook(running, demo, demoLogFile(config), say);
  const code = await untilStopped(asked, running, log, say);
  return failed ? 1 : code;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

class Demo {
  private readonly shop;
  private readonly operator;
  private submitted: SubmittedOrder | undefined;
  /** Paths of the documents that were saved. */
  readonly saved: string[] = [];

  constructor(
    private readonly stack: RunningStack,
    private readonly signal: AbortSignal,
  ) {
    const { baseUrl, client, operator } = stack.credentials;
    this.shop = createPresslineClient({ baseUrl, ...client });
    this.operator = createPresslineClient({ baseUrl, apiKey: operator.apiKey });
  }

  /** Where the Temporal UI shows the order's run. */
  get runUrl(): string {
    const { credentials, services } = this.stack;
    const list = `${credentials.temporalUiUrl}/namespaces/${services.config.TEMPORAL_NAMESPACE}/workflows`;
    return this.submitted === undefined ? list : `${list}/${orderWorkflowId(this.submitted.id)}`;
  }

  steps() {
    return [
      { title: 'Order submitted', run: () => this.submit() },
      ...DEMO_STEPS.map((step) => ({ title: step.title, run: () => this.waitFor(step) })),
      { title: 'Documents saved', run: () => this.save() },
    ];
  }

  private line(at: Date, title: string, detail: string): string {
    const since = at.getTime() - Date.parse(this.submitted!.createdAt);
    return `+${seconds(Math.max(0, since)).padStart(7)}  ${title.padEnd(32)} ${detail}`;
  }

  private async submit(): Promise<string> {
    const reference = `demo-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
    const order = demoOrder(reference, this.stack.sandbox!.url);
    this.submitted = await this.shop.submitOrder({ body: order });
    const goods = order.items
      .map(({ quantity, itemReferenceId }) => `${quantity} × ${itemReferenceId}`)
      .join(', ');
    const { city, country } = order.shippingAddress;
    return this.line(
      new Date(this.submitted.createdAt),
      'Order submitted',
      `${reference}: ${goods} to ${city}, ${country}`,
    );
  }

  private async waitFor(step: DemoStep): Promise<string> {
    for (const patienceEnds = Date.now() + PATIENCE_MS; ; await sleep(LOOK_MS)) {
      this.signal.throwIfAborted();
      const sighting = await this.look();
      const seen = step.look(sighting);
      if (seen !== undefined) return this.line(seen.at, step.title, seen.detail);
      const { fulfillmentStatus, refusalReason } = sighting.order;
      if (['failed', 'on_hold', 'canceled'].includes(fulfillmentStatus)) {
        throw new DemoStopped(
          `The order is ${fulfillmentStatus}${refusalReason ? `: ${refusalReason}` : ''}.`,
        );
      }
      if (Date.now() > patienceEnds) {
        throw new DemoStopped(
          `"${step.title}" has not come about for ${PATIENCE_MS / 1_000} s; the order is ${fulfillmentStatus}.`,
        );
      }
    }
  }

  private async look(): Promise<Sighting> {
    const params = { orderId: this.submitted!.id };
    const [order, { decisions }, runStartedAt] = await Promise.all([
      this.shop.getOrder({ params }),
      this.operator.getOrderRouting({ params }),
      this.runStart(),
    ]);
    const ids = order.items.flatMap(({ printJobs }) => printJobs.map(({ printOrderId }) => printOrderId));
    const atPartners = Object.values(this.stack.sandbox!.seen().partners)
      .flatMap(({ printOrders }) => printOrders)
      .filter(({ printOrderId }) => ids.includes(printOrderId));
    return { seenAt: new Date(), order, runStartedAt, routing: decisions.at(-1), atPartners };
  }

  private async runStart(): Promise<Date | undefined> {
    const run = this.stack.services.temporal.workflow.getHandle(orderWorkflowId(this.submitted!.id));
    try {
      return (await run.describe()).startTime;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  private async save(): Promise<string> {
    const { order } = await this.look();
    const printOrders = new Map(
      order.items.flatMap(({ printJobs }) =>
        printJobs.map((job) => [job.printOrderId, job.partner] as const),
      ),
    );
    for (const [id, partner] of printOrders) {
      this.saved.push(...(await saveDocuments(this.stack.credentials, { id, partner })));
    }
    return this.line(new Date(), 'Documents saved', `${this.saved.length} files in out/`);
  }
}

function sayWhereToLook(
  { credentials, credentialsPath, sandbox }: RunningStack,
  demo: Demo,
  logFile: string,
  say: (line: string) => void,
): void {
  say('');
  say(`Runs on      Node ${process.versions.node}`);
  for (const path of demo.saved) say(`Document     ${path}`);
  say(`The run      ${demo.runUrl}`);
  say(`API          ${credentials.baseUrl}`);
  say(`API pages    ${credentials.baseUrl}/docs`);
  say(`Sandbox      ${sandbox!.controlUrl}/seen`);
  say(`Keys         ${credentialsPath}`);
  say(`Log          ${logFile}`);
  say('');
  say('It all goes on running. Ctrl-C stops it.');
}
