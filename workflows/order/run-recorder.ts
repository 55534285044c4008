import { workflowInfo } from '@temporalio/workflow';
import { deriveFinancialStatus } from '../../src/orders/domain/lifecycle/derive';
import type { RunEffect } from '../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { FinancialStatus } from '../../src/orders/domain/lifecycle/statuses';
import {
  type RecordBase,
  type RecordedStep,
  type Recording,
  recordOf,
} from '../../src/orders/domain/run/recording';
import type {
  OrderRunInput,
  RecordOutcome,
  RecordStep,
  RunRecord,
} from '../../src/orders/domain/run/run-messages';
import { runPosition } from '../../src/orders/domain/run/run-position';
import { database } from './activities';
import type { Mutex } from './mutex';

/** One turn of the main loop: what the events changed. */
export interface RunStep extends RecordedStep {
  /** Summary of the activity in the Temporal UI. */
  readonly summary: string;
}

/** Writes the steps of an order run to the database, one record for each. */
export class RunRecorder {
  /** The last record that was sent, and the record before it. */
  private last: RecordStep | null;
  private previous: RecordStep | null;
  private financialStatus: FinancialStatus | null;
  /** Effects of a step that an activity records and is not known to have recorded. The next record replaces that one. */
  private unconfirmed: readonly RunEffect[] = [];

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
    const effects = [...this.unconfirmed, ...step.effects];
    this.unconfirmed = [];
    return await this.send(this.recordOf({ ...step, effects }), step.summary);
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

  /** Returns what an activity needs to record its result as the next version of this state. */
  recordingOf(state: RunState): Recording {
    return { ...this.base, state };
  }

  /** Leaves a step to the activity that has its recording. */
  leave(step: RecordedStep): void {
    this.unconfirmed = recordOf(this.base, step).effects;
  }

  /** Continues after a step that an activity has recorded. */
  continueAfter(record: RecordStep, { before, after, effects }: RecordedStep): void {
    this.financialStatus = deriveFinancialStatus(before, after, effects) ?? this.financialStatus;
    this.last = { position: record.position, version: record.version };
    this.unconfirmed = [];
  }

  private get base(): RecordBase {
    const { orderId, clientId } = this.input;
    const { runId, historyLength } = workflowInfo();
    return {
      orderId,
      clientId,
      runId,
      position: runPosition(Date.now(), historyLength),
      follows: this.last,
      financialStatus: this.financialStatus,
    };
  }

  private recordOf(step: RecordedStep): RunRecord {
    const record = recordOf(this.base, step);
    this.financialStatus = record.financialStatus;
    return record;
  }
}
