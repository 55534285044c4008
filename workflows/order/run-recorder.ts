import { workflowInfo } from '@temporalio/workflow';
import { deriveFinancialStatus } from '../../src/orders/domain/lifecycle/derive';
import type { RunEffect } from '../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { FinancialStatus } from '../../src/orders/domain/lifecycle/statuses';
import type {
  OrderRunInput,
  RecordOutcome,
  RecordStep,
  RunRecord,
} from '../../src/orders/domain/run/run-messages';
import { runPosition } from '../../src/orders/domain/run/run-position';
import { rowsOf } from '../../src/orders/domain/run/run-rows';
import { database } from './activities';
import type { Mutex } from './mutex';

const RECORDED_EFFECTS: ReadonlySet<RunEffect['type']> = new Set([
  'log',
  'consume_stock',
  'release_stock',
  'refund',
  'tracking_code',
]);

/** One turn of the main loop: what the events changed. */
export interface RunStep {
  readonly before: RunState;
  readonly after: RunState;
  readonly effects: readonly RunEffect[];
  /** Event ids of the postbacks that the step has processed. */
  readonly handledPostbacks: readonly string[];
  readonly refusal: RunRecord['refusal'];
  /** Summary of the activity in the Temporal UI. */
  readonly summary: string;
}

/** Writes the steps of an order run to the database, one record for each. */
export class RunRecorder {
  /** The last record that was sent, and the record before it. */
  private last: RecordStep | null;
  private previous: RecordStep | null;
  private financialStatus: FinancialStatus | null;

  /** @param local runs one local activity at a time */
  constructor(
    private readonly input: OrderRunInput,
    private readonly local: Mutex,
  ) {
    const isNew = input.carried === undefined;
    this.last = isNew ? { position: 0, version: 0 } : null;
    this.previous = this.last;
    this.financialStatus = isNew ? 'pending' : null;
  }

  /** Returns `skipped` when another run of the order has recorded a later step. Nothing is written then. */
  async write(step: RunStep): Promise<RecordOutcome | undefined> {
    this.previous = this.last;
    return await this.send(this.recordOf(step), step.summary);
  }

  /** Writes a skipped step again, over what the other run has recorded. */
  async overwrite(step: RunStep): Promise<void> {
    this.last = this.previous;
    await this.send({ ...this.recordOf(step), overrides: true }, step.summary);
  }

  private async send(record: RunRecord, summary: string): Promise<RecordOutcome | undefined> {
    this.last = { position: record.position, version: record.version };
    return await this.local.run(() => database.recordRun.executeWithOptions({ summary }, [record]));
  }

  private recordOf({ before, after, effects, handledPostbacks, refusal }: RunStep): RunRecord {
    const statuses = new Map(before.items.map((item) => [item.id, item.status]));
    const changes = after.items
      .filter((item) => statuses.get(item.id) !== item.status)
      .map(({ id, status }): RunEffect => ({ type: 'log', event: 'status', itemId: id, data: { status } }));
    const { runId, historyLength } = workflowInfo();
    this.financialStatus = deriveFinancialStatus(before, after, effects) ?? this.financialStatus;
    return {
      orderId: this.input.orderId,
      clientId: this.input.clientId,
      runId,
      position: runPosition(Date.now(), historyLength),
      version: after.version,
      follows: this.last,
      ...rowsOf(after),
      financialStatus: this.financialStatus,
      effects: [...effects.filter((effect) => RECORDED_EFFECTS.has(effect.type)), ...changes],
      handledPostbacks,
      refusal,
    };
  }
}
