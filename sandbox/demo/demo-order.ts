import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { CredentialsFile } from '../../cli/credentials';
import { createPresslineClient, type SubmittedOrder } from '../../client/pressline-client';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import type { Seen } from '..';
import type { ShownStep } from './display';
import { MILESTONES, type Milestone, type Snapshot } from './milestones';
import { sampleOrder } from './sample-order';

const POLL_MS = 60;
/** Maximum time between two milestones. */
const MILESTONE_TIMEOUT_MS = 60_000;

/** The order did not reach the next milestone. The message is for the user. */
export class DemoStopped extends Error {
  override readonly name = 'DemoStopped';
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

export interface DemoTarget {
  readonly credentials: Pick<CredentialsFile, 'baseUrl' | 'temporalUiUrl' | 'client' | 'partners' | 'operator'>;
  readonly namespace: string;
  readonly temporal: Client;
  readonly sandboxUrl: string;
  seen(): Seen | Promise<Seen>;
  readonly documentsFolder: string;
}

/** The order of the demo: submits it, waits for its milestones, and saves its documents. */
export class DemoOrder {
  private readonly client;
  private readonly operator;
  private submitted: SubmittedOrder | undefined;
  /** Paths of the documents that were saved. */
  readonly saved: string[] = [];

  constructor(
    private readonly target: DemoTarget,
    private readonly signal: AbortSignal,
  ) {
    const { baseUrl, client, operator } = target.credentials;
    this.client = createPresslineClient({ baseUrl, ...client });
    this.operator = createPresslineClient({ baseUrl, apiKey: operator.apiKey });
  }

  /** URL of the order's workflow in the Temporal UI, or of the list of workflows before the order is submitted. */
  get workflowUrl(): string {
    const { credentials, namespace } = this.target;
    const list = `${credentials.temporalUiUrl}/namespaces/${namespace}/workflows`;
    return this.submitted === undefined ? list : `${list}/${orderWorkflowId(this.submitted.id)}`;
  }

  steps(): ShownStep[] {
    return [
      { title: 'Order submitted', run: () => this.submit() },
      ...MILESTONES.map((milestone) => ({ title: milestone.title, run: () => this.waitFor(milestone) })),
      { title: 'Documents saved', run: () => this.save() },
    ];
  }

  private line(at: Date, title: string, detail: string): string {
    const since = at.getTime() - Date.parse(this.submitted!.createdAt);
    return `+${seconds(Math.max(0, since)).padStart(7)}  ${title.padEnd(32)} ${detail}`;
  }

  private async submit(): Promise<string> {
    const reference = `demo-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
    const order = sampleOrder(reference, this.target.sandboxUrl);
    this.submitted = await this.client.submitOrder({ body: order });
    const goods = order.items.map(({ quantity, itemReferenceId }) => `${quantity} × ${itemReferenceId}`).join(', ');
    const { city, country } = order.shippingAddress;
    return this.line(
      new Date(this.submitted.createdAt),
      'Order submitted',
      `${reference}: ${goods} to ${city}, ${country}`,
    );
  }

  /** @throws DemoStopped when the order fails, or does not reach the milestone in time */
  private async waitFor(milestone: Milestone): Promise<string> {
    for (const deadline = Date.now() + MILESTONE_TIMEOUT_MS; ; await sleep(POLL_MS)) {
      this.signal.throwIfAborted();
      const snapshot = await this.snapshot();
      const reached = milestone.reached(snapshot);
      if (reached !== undefined) return this.line(reached.at, milestone.title, reached.detail);
      const { fulfillmentStatus, refusalReason } = snapshot.order;
      if (['failed', 'on_hold', 'canceled'].includes(fulfillmentStatus)) {
        throw new DemoStopped(`The order is ${fulfillmentStatus}${refusalReason ? `: ${refusalReason}` : ''}.`);
      }
      if (Date.now() > deadline) {
        throw new DemoStopped(
          `The order did not reach "${milestone.title}" within ${MILESTONE_TIMEOUT_MS / 1_000} s. Its status is ${fulfillmentStatus}.`,
        );
      }
    }
  }

  private async snapshot(): Promise<Snapshot> {
    const params = { orderId: this.submitted!.id };
    const [order, { decisions }, workflowStartedAt] = await Promise.all([
      this.client.getOrder({ params }),
      this.operator.getOrderRouting({ params }),
      this.workflowStart(),
    ]);
    const ids = order.items.flatMap(({ printJobs }) => printJobs.map(({ printOrderId }) => printOrderId));
    const atPartners = Object.entries((await this.target.seen()).partners)
      .flatMap(([partner, { printOrders }]) => printOrders.map((printOrder) => ({ ...printOrder, partner })))
      .filter(({ printOrderId }) => ids.includes(printOrderId));
    return { takenAt: new Date(), order, workflowStartedAt, routing: decisions.at(-1), atPartners };
  }

  private async workflowStart(): Promise<Date | undefined> {
    const run = this.target.temporal.workflow.getHandle(orderWorkflowId(this.submitted!.id));
    try {
      return (await run.describe()).startTime;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  private async save(): Promise<string> {
    const { atPartners } = await this.snapshot();
    const { credentials, documentsFolder } = this.target;
    for (const { printOrderId: id, partner } of atPartners) {
      this.saved.push(...(await saveDocuments(credentials, { id, partner }, documentsFolder)));
    }
    const folder = relative('.', documentsFolder);
    return this.line(new Date(), 'Documents saved', `${this.saved.length} files in ${folder}/`);
  }
}

/**
 * Requests the documents of a print order as its partner does, and downloads them to a folder.
 * @returns the paths of the files, relative to the working directory
 */
async function saveDocuments(
  credentials: Pick<CredentialsFile, 'baseUrl' | 'partners'>,
  printOrder: { readonly id: string; readonly partner: string },
  folder: string,
): Promise<string[]> {
  const { apiKey } = credentials.partners.find(({ name }) => name === printOrder.partner)!;
  const partner = createPresslineClient({ baseUrl: credentials.baseUrl, apiKey });
  const { documents } = await partner.dispatchOrder({ body: { orderId: printOrder.id } });
  await mkdir(folder, { recursive: true });
  return await Promise.all(
    documents.map(async ({ url }) => {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`A document link responded with status ${response.status}`);
      const path = join(folder, decodeURIComponent(basename(new URL(url).pathname)));
      await writeFile(path, Buffer.from(await response.arrayBuffer()));
      return relative('.', path);
    }),
  );
}
