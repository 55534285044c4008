import {
  allHandlersFinished,
  condition,
  continueAsNew,
  log,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunIds } from '../../activities/order-run';
import { deriveStatus } from '../../src/orders/domain/lifecycle/facts/items';
import { reduce } from '../../src/orders/domain/lifecycle/reduce';
import { shownDeadlines } from '../../src/orders/domain/lifecycle/rules/deadlines';
import type { RefusedChange } from '../../src/orders/domain/lifecycle/rules/transitions';
import type { OrderRefusal, RunEffect, RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import { describeRun } from '../../src/orders/domain/run/run-details';
import type { OrderRunInput, OrderRunResult, RunView } from '../../src/orders/domain/run/run-messages';
import { initialSnapshot, isBackgroundStep, type RunSnapshot } from '../../src/orders/domain/run/run-record';
import { BackgroundTasks, Stalls } from './background-tasks';
import { Deadlines } from './deadlines';
import { Dispatch } from './dispatch';
import { Display } from './display';
import { Handover } from './handover';
import { Inbox, postbackIds } from './postbacks';
import { Records } from './records';
import { Mutex, type RunContext } from './run-context';
import { Submission } from './submission';
import { Tracking } from './tracking';

/**
 * The run of one order. Messages, deadlines and background tasks put events into the inbox. `follow` takes them, decides with
 * `reduce`, writes one record, and starts the background tasks that follow.
 */
export class OrderRun implements RunContext {
  readonly ids: RunIds;
  state: RunState;
  /** The current details in the Temporal UI cost no history event. */
  readonly tasks = new BackgroundTasks(() =>
    setCurrentDetails(describeRun(this.state, this.tasks.names, this.submission.parked?.nextAt ?? null)),
  );
  readonly plans = new Mutex();
  readonly submission = new Submission(this);
  readonly handover = new Handover(this);
  readonly dispatch = new Dispatch(this);
  readonly stalls = new Stalls(this, this.submission);
  private readonly tracking = new Tracking(this);
  private readonly inbox = new Inbox();
  private readonly records: Records;
  private readonly deadlines: Deadlines;
  private readonly display = new Display();
  private refusal: OrderRefusal | null = null;

  constructor(readonly input: OrderRunInput) {
    const { orderId, requestId, items, carried } = input;
    this.ids = { orderId, requestId };
    this.records = new Records(orderId, carried && { last: carried.last, financialStatus: carried.financialStatus });
    const { state, clock } = carried ?? initialSnapshot(items);
    this.state = state;
    this.deadlines = new Deadlines(this, this.handover, this.tracking, clock);
  }

  /** Follows an order from its submission to its end. */
  async run(): Promise<OrderRunResult> {
    await this.prepare();
    await this.handOver();
    while (!this.isOver) await this.follow();
    return await this.close();
  }

  /** Fetches the files and plans the order, until it is planned, refused or cancelled. It can wait on hold. */
  private async prepare(): Promise<void> {
    const { carried } = this.input;
    this.tasks.changed();
    for (const effect of carried?.pending ?? []) this.carryOut(effect);
    if (carried?.parked !== undefined) this.submission.resume(carried.parked);
    else if (this.state.phase === 'preparing' && !this.state.held) {
      this.take({ type: 'fetching_files' });
      await this.process();
      if (this.state.phase === 'preparing') this.submission.start();
    }
    while (this.state.phase === 'preparing' && !this.isOver) await this.follow();
  }

  /** Delivers each print order to its partner, as effects of the plan, until all have been accepted or have failed. */
  private async handOver(): Promise<void> {
    while (this.tasks.some('deliver:') && !this.isOver) await this.follow();
  }

  /** Waits for the next events or deadline: decides, records and acts. */
  private async follow(): Promise<void> {
    this.deadlines.arm();
    await condition(() => this.inbox.isDue(this.state) || this.isOver || this.tasks.failed || this.stalls.isOver);
    await this.process();
    if (workflowInfo().continueAsNewSuggested && this.canContinueAsNew) await this.continueAsNew();
  }

  /** Applies the events that are due, writes one record for them, and then carries out what follows from them. */
  private async process(): Promise<void> {
    this.tasks.rethrow();
    if (this.stalls.isOver) this.take({ type: 'stall_ended' });
    while (this.inbox.isDue(this.state)) {
      const before = this.state;
      const events = this.inbox.takeDue(before);
      const effects = events.flatMap((event) => this.decide(event));
      await this.record(before, events, effects);
      this.display.show(before, this.state, this.ids);
      for (const effect of effects) this.carryOut(effect);
      this.tasks.changed();
      this.inbox.processed();
    }
  }

  private decide(event: RunEvent): RunEffect[] {
    const { state, effects, refused } = reduce(this.state, event);
    this.state = state;
    this.deadlines.noteTimesOf(event);
    if (event.type === 'refused') this.refusal = { code: event.code, reason: event.reason, details: event.details };
    return [...effects, ...refused.map((change) => this.refusedChange(event, change))];
  }

  /** Reports a status change that the transition table does not list: a bug, which must not stop the order. */
  private refusedChange(event: RunEvent, { itemId, from, to }: RefusedChange): RunEffect {
    log.error('status change refused', { ...this.ids, event: event.type, itemId, from, to });
    return { type: 'log', event: 'status_change_refused', itemId, data: { event: event.type, from, to } };
  }

  /** Records a step, unless it changed nothing. */
  private async record(before: RunState, events: readonly RunEvent[], effects: readonly RunEffect[]): Promise<void> {
    const handledPostbacks = postbackIds(events);
    if (this.state === before && handledPostbacks.length === 0) return;
    const after = this.snapshot(effects);
    const step = { before, after, effects, handledPostbacks, refusal: this.refusal };
    const outcome = await this.records.write(step, events);
    // Still skipped: Temporal was restored from a backup, and the order has ended since.
    if (outcome === 'overridden' || outcome === 'skipped') this.take({ type: 'record_skipped' });
    if (outcome === 'refused') this.take({ type: 'record_refused' });
  }

  /** Starts the background task of an effect. The record has carried out the other effects. */
  private carryOut(effect: RunEffect): void {
    if (effect.type === 'void_shipment') this.dispatch.voidLabels(effect);
    else this.handover.carryOut(effect);
  }

  private async close(): Promise<OrderRunResult> {
    this.deadlines.stop();
    this.submission.stop();
    this.handover.stop();
    do {
      await condition(() => this.inbox.isDue(this.state) || this.isIdle || this.tasks.failed);
      await this.process();
    } while (!this.isIdle);
    return { fulfillmentStatus: deriveStatus(this.state) };
  }

  private async continueAsNew(): Promise<never> {
    const { parked } = this.submission;
    const carried = { ...this.snapshot(), ...this.records.ledger, ...(parked === null ? {} : { parked }) };
    return await continueAsNew<(input: OrderRunInput) => Promise<OrderRunResult>>({ ...this.input, carried });
  }

  take(event: RunEvent): void {
    this.inbox.add(event);
  }

  async settled(): Promise<void> {
    await this.inbox.settled(() => this.state);
  }

  get view(): RunView {
    const { state, clock, pending } = this.snapshot();
    return { ...state, deadlines: shownDeadlines(state, clock, this.input), clock, pending };
  }

  /** @param effects of the current step: its background tasks start after the record */
  private snapshot(effects: readonly RunEffect[] = []): RunSnapshot {
    return {
      state: this.state,
      clock: this.deadlines.clock,
      pending: [...this.tasks.effects, ...effects.filter(isBackgroundStep)],
    };
  }

  /** True when no event is due, no task is running and every update handler has finished. */
  private get isIdle(): boolean {
    return !this.inbox.isDue(this.state) && this.tasks.idle && allHandlersFinished();
  }

  private get canContinueAsNew(): boolean {
    return !this.inbox.isDue(this.state) && this.stalls.unfinished.length === 0;
  }

  private get isOver(): boolean {
    const hasEnded = this.state.phase === 'closed' || this.tracking.hasEnded;
    return hasEnded && !this.inbox.isDue(this.state) && allHandlersFinished();
  }
}
