import { sleep, workflowInfo } from '@temporalio/workflow';
import type { RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import {
  type LedgerState,
  type RecordOutcome,
  type RunRecord,
  type RunStep,
  recordOf,
  runPosition,
} from '../../src/orders/domain/run/run-record';
import { cutText } from '../../src/platform/domain/foreign-text';
import { records } from './activities';

export class Records {
  /** @param ledger the records so far, also those of the run that this one continues */
  constructor(
    private readonly orderId: string,
    public ledger: LedgerState = { last: { position: 0, version: 0 }, financialStatus: 'pending' },
  ) {}

  /**
   * Records a step. A record that is skipped is written over the rows from the next workflow task. Attempts of a lost task, and a
   * run that was reset, do not reach that task: only the current run does.
   * @param events of the step, for the summary in the Temporal UI
   */
  async write(step: RunStep, events: readonly RunEvent[]): Promise<RecordOutcome> {
    const record = recordOf({ orderId: this.orderId, ...currentTask() }, this.ledger, step);
    const outcome = await this.send(record, events);
    if (outcome !== 'skipped') return outcome;
    await sleep(1);
    return await this.send({ ...record, ...currentTask(), overrides: true }, events);
  }

  private async send(record: RunRecord, events: readonly RunEvent[]): Promise<RecordOutcome> {
    const { position, version, financialStatus } = record;
    this.ledger = { last: { position, version }, financialStatus };
    return await records.recordRun.executeWithOptions({ summary: summaryOf(events) }, [record]);
  }
}

function currentTask(): Pick<RunRecord, 'runId' | 'position'> {
  const { runId, historyLength } = workflowInfo();
  return { runId, position: runPosition(Date.now(), historyLength) };
}

/** Returns the summary of a record in the Temporal UI, which shows 200 bytes. */
function summaryOf(events: readonly RunEvent[]): string {
  const names = events.map((event) => (event.type === 'postback' ? `postback ${event.status}` : event.type));
  return cutText(names.join(', '), 200);
}
