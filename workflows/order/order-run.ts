import {
  allHandlersFinished,
  condition,
  continueAsNew,
  log,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { PreparationSteps } from '../../activities/order-files';
import type { RunIds } from '../../activities/order-ids';
import { isEarly, takeEarly } from '../../src/orders/domain/lifecycle/early-events';
import { deriveStatus } from '../../src/orders/domain/lifecycle/facts/items';
import { reduce } from '../../src/orders/domain/lifecycle/reduce';
import {
  clockAfter,
  clockAfterReminder,
  type Deadline,
  deadlineKey,
  nextDeadline,
  shownDeadlines,
} from '../../src/orders/domain/lifecycle/rules/deadlines';
import {
  type RunRefusal,
  whyNotCancel,
  whyNotChangeShipping,
  whyNotDispatch,
  whyNotRepair,
  whyNotRerouteUnits,
} from '../../src/orders/domain/lifecycle/rules/guards';
import type { RefusedChange } from '../../src/orders/domain/lifecycle/rules/transitions';
import type { EventOf, RunEffect, RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { OrderRunInput, OrderRunResult, RunView } from '../../src/orders/domain/run/run-messages';
import { runPosition } from '../../src/orders/domain/run/run-position';
import {
  initialSnapshot,
  isBackgroundStep,
  keyOf,
  type RecordKey,
  type RecordOutcome,
  type ReservedStep,
  RunLedger,
  type RunRecord,
  type RunSnapshot,
  type RunStep,
  type RunTask,
} from '../../src/orders/domain/run/run-record';
import { database, Planning } from './activities';
import { BackgroundSteps } from './background-steps';
import { DeadlineTimer } from './deadline-timer';
import { Display, logChange, summaryOf } from './display';
import {
  cancelUpdate,
  changeShippingUpdate,
  dispatchUpdate,
  filesReplacedSignal,
  flaggedSignal,
  postbackSignal,
  repairUpdate,
  runStateQuery,
  trackingSignal,
} from './messages';
import { Mutex } from './mutex';
import { refuseWith } from './refusals';
import { UpdateHandlers } from './update-handlers';

/**
 * The main loop of the order workflow. Messages, timers and background steps put events into the inbox. The loop applies
 * them with `reduce`, records the result, and starts the background steps that follow.
 */
export class OrderRun {
  /** The order, and the request that submitted it, for activities and log lines. */
  readonly ids: RunIds;
  state: RunState;
  private clock: RunSnapshot['clock'];
  private readonly inbox: { readonly event: RunEvent; readonly written: RecordKey | undefined }[] = [];
  /** Numbers of events taken and recorded since the run started. They are equal when the inbox is processed. */
  private taken = 0;
  private recorded = 0;
  /**
   * Runs one local activity at a time. Two concurrent ones complete in any order, and each resumes the workflow. A replay
   * returns both results together, and the workflow would take another path.
   */
  private readonly local = new Mutex();
  private readonly planning = new Planning();
  private readonly steps = new BackgroundSteps(this, this.local, this.planning);
  private readonly updates = new UpdateHandlers(this, this.steps, this.planning);
  private readonly timer = new DeadlineTimer((deadline) => this.passed(deadline));
  private readonly display = new Display();
  private readonly ledger: RunLedger;
  private closing = false;
  private refusal: RunRecord['refusal'] = null;

  constructor(readonly input: OrderRunInput) {
    this.ids = { orderId: input.orderId, requestId: input.requestId };
    const { orderId, clientId, carried } = input;
    this.ledger = new RunLedger({ orderId, clientId }, carried);
    ({ state: this.state, clock: this.clock } = carried ?? initialSnapshot(input.items));
  }

  /**
   * Sets the handlers of all messages, before the first await. Signals only add to the inbox. Updates wait for their
   * result.
   */
  setHandlers(): void {
    setHandler(postbackSignal, (event) => this.take(event));
    setHandler(trackingSignal, (event) => this.take(event));
    setHandler(flaggedSignal, (event) => this.flagged(event));
    setHandler(filesReplacedSignal, (item) => {
      if (item === undefined) this.steps.preparation.planAgain();
      else this.take({ type: 'file_replaced', ...item });
    });
    setHandler(dispatchUpdate, ({ printOrderId }) => this.updates.dispatch(printOrderId), {
      validator: ({ printOrderId }) => refuseWith(whyNotDispatch(this.state, printOrderId)),
    });
    setHandler(changeShippingUpdate, ({ changeId }) => this.updates.changeShipping(changeId), {
      validator: (_change) => this.validate(() => whyNotChangeShipping(this.state)),
    });
    setHandler(cancelUpdate, (request) => this.updates.cancel(request), {
      validator: ({ itemIds }) => this.validate(() => whyNotCancel(this.state, itemIds)),
    });
    setHandler(repairUpdate, (request) => this.updates.repair(request), {
      validator: (request) =>
        this.validate(() => {
          const isReroute = request.action === 'reroute' || request.action === 'reproduce';
          return whyNotRepair(this.state, request) ?? (isReroute ? whyNotRerouteUnits(this.state, request) : null);
        }),
    });
    setHandler(runStateQuery, () => this.view);
  }

  async runToEnd(): Promise<OrderRunResult> {
    this.resume();
    this.stepsChanged();
    while (!this.isOver) {
      this.timer.arm(nextDeadline(this.state, this.clock, this.input));
      await condition(() => this.isDue || this.isOver || this.steps.tasks.failed || this.stallIsOver);
      this.steps.tasks.rethrow();
      if (!this.isOver) await this.steps.preparation.settle();
      await this.processInbox();
      if (workflowInfo().continueAsNewSuggested && this.canContinueAsNew) {
        const { parked } = this.steps.preparation;
        await continueAsNew<(input: OrderRunInput) => Promise<OrderRunResult>>({
          ...this.input,
          carried: { ...this.snapshot(), ...this.ledger.state, ...(parked === null ? {} : { parked }) },
        });
      }
    }
    await this.close();
    return { fulfillmentStatus: deriveStatus(this.state) };
  }

  private get view(): RunView {
    const { state, clock, pending } = this.snapshot();
    return { ...state, deadlines: shownDeadlines(state, clock, this.input), clock, pending };
  }

  /** @param effects of the current step: its background steps start after the record */
  private snapshot(effects: readonly RunEffect[] = []): RunSnapshot {
    const pending = [...this.steps.tasks.effects, ...effects.filter(isBackgroundStep)];
    return { state: this.state, clock: this.clock, pending };
  }

  /** A background step has started, paused or ended. */
  stepsChanged(): void {
    this.display.describe(this.state, this.steps.tasks.names, this.steps.preparation.parked);
  }

  /**
   * Adds an event to the inbox of the main loop.
   * @param written key of the record that an activity has written for this event
   */
  take(event: RunEvent, written?: RecordKey): void {
    // The activity has recorded its event before the others.
    if (written === undefined) this.inbox.push({ event, written });
    else this.inbox.unshift({ event, written });
    this.taken += 1;
  }

  /** Leaves the next step to an activity. Undefined: the run records it. One activity can have a step at a time. */
  reserve(): ReservedStep | undefined {
    // A record that is still being written comes first: the activity continues from it.
    if (this.recorded < this.taken) return undefined;
    const reserved = this.ledger.reserve(this.task, this.state.version);
    this.state = { ...this.state, version: keyOf(reserved).version };
    return reserved;
  }

  /** Applies `fetching_files`, and leaves this step and the plan to an activity. */
  reservePreparation(): PreparationSteps {
    const { task } = this;
    const before = this.state;
    const reserved = this.ledger.reserve(task, before.version);
    const effects = this.apply([{ type: 'fetching_files' }]);
    const isNew = this.state !== before;
    if (isNew) {
      const step = { before, after: this.snapshot(), effects, handledPostbacks: [], refusal: null };
      this.ledger.anticipate(task, step);
      logChange(before, this.state, this.ids);
    }
    const { version } = this.state;
    const plan = this.ledger.reserve(task, version, isNew ? keyOf(reserved) : reserved.follows);
    this.state = { ...this.state, version: keyOf(plan).version };
    return { fetching: isNew ? reserved : null, plan };
  }

  /** Refuses an update. The handlers refuse those that arrive while the run may lack a print order that clients can see. */
  private validate(why: () => RunRefusal): void {
    if (!this.steps.preparation.mayDeliver) refuseWith(why());
  }

  /** Takes the plan back that was left to an activity. Returns false when the activity has recorded it already. */
  async withhold({ fetching, plan }: PreparationSteps): Promise<boolean> {
    const follows = fetching === null ? [plan.follows] : [fetching.follows, plan.follows];
    return await this.local.run(() => database.withholdStep({ orderId: plan.orderId, key: keyOf(plan), follows }));
  }

  private get task(): RunTask {
    const { runId, historyLength } = workflowInfo();
    return { runId, position: runPosition(Date.now(), historyLength) };
  }

  /** Resolves when all events taken so far are applied and recorded. */
  async settled(): Promise<void> {
    const { taken } = this;
    await condition(() => this.recorded >= taken);
  }

  /** True when the inbox has more than early events that the end of the first activity makes due. */
  private get isDue(): boolean {
    const { mayDeliver } = this.steps.preparation;
    return this.inbox.some(({ event }) => !mayDeliver || !isEarly(this.state, event));
  }

  /** True when the inbox is empty, no background step is running and every update handler has finished. */
  private get isIdle(): boolean {
    return this.inbox.length === 0 && this.steps.tasks.idle && allHandlersFinished();
  }

  private get canContinueAsNew(): boolean {
    return this.inbox.length === 0 && this.steps.atRest && allHandlersFinished();
  }

  private get isOver(): boolean {
    const idle = this.inbox.length === 0 && !this.updates.repairing;
    return idle && (this.state.phase === 'closed' || this.closing);
  }

  /** Starts the first steps of a new run, or the unfinished steps of a continued run. */
  private resume(): void {
    const parked = this.input.carried?.parked;
    if (parked !== undefined) this.steps.preparation.resume(parked);
    else if (this.state.phase === 'preparing' && !this.state.held) this.steps.preparation.start();
    for (const effect of this.input.carried?.pending ?? []) this.steps.carryOut(effect);
  }

  /** Applies the events in the inbox, writes one record for them, and then starts the background steps that follow. */
  private async processInbox(): Promise<void> {
    if (this.stallIsOver) this.take({ type: 'stall_ended' });
    while (this.inbox.length > 0) {
      const before = this.state;
      const { written } = this.inbox[0]!;
      // The activity has the version of this state: nothing has changed since it was reserved.
      const isWritten = written?.version === before.version;
      const batch = this.inbox.splice(0, isWritten ? 1 : this.inbox.length);
      const events = batch.map(({ event }) => event);
      const effects = this.apply(events);
      const handledPostbacks = events.flatMap((event) => (event.type === 'postback' ? [event.eventId] : []));
      const after = this.snapshot(effects);
      const step = { before, after, effects, handledPostbacks, refusal: this.refusal };
      if (isWritten) this.ledger.confirm(written, step);
      else if (this.state !== before || handledPostbacks.length > 0) await this.write(step, summaryOf(events));
      logChange(before, this.state, this.ids);
      this.display.show(this.state);
      for (const effect of effects) this.steps.carryOut(effect);
      this.stepsChanged();
      this.recorded += events.length;
    }
  }

  /**
   * Records a step. A record that is skipped twice is written over the rows, with the attention reason `out_of_step`. A refused one
   * is followed by a record with the attention reason `record_refused`.
   */
  private async write(step: RunStep, summary: string): Promise<void> {
    const record = this.ledger.record(this.task, step);
    let outcome = await this.send(record, summary);
    if (outcome === 'skipped') {
      // A workflow task that Temporal has lost, and a run that was reset, end here. Only the current run continues. Its history is
      // longer now than those of its lost attempts, which may have written the rows.
      await sleep(1);
      outcome = await this.send(this.ledger.again(this.task, record), summary);
    }
    if (outcome === 'skipped') {
      const effects = this.apply([{ type: 'record_skipped' }]);
      const after = this.snapshot([...step.effects, ...effects]);
      outcome = await this.send(this.ledger.overriding(this.task, record, { after, effects }), summary);
    }
    if (outcome === 'refused') this.take({ type: 'record_refused' });
  }

  /** @param summary of the activity in the Temporal UI */
  private async send(record: RunRecord, summary: string): Promise<RecordOutcome> {
    return await this.local.run(() => database.recordRun.executeWithOptions({ summary }, [record]));
  }

  private apply(events: readonly RunEvent[]): RunEffect[] {
    const effects: RunEffect[] = [];
    const left = [...events];
    for (let event = left.shift(); event !== undefined; event = left.shift()) {
      const reduction = reduce(this.state, event);
      const { state, due } = takeEarly(reduction.state);
      this.state = state;
      left.unshift(...due);
      effects.push(...reduction.effects, ...this.logRefused(event, reduction.refused));
      this.clock = clockAfter(this.clock, event, this.state, Date.now());
      if (event.type === 'refused') {
        this.refusal = { code: event.code, reason: event.reason, details: event.details };
      }
      if (event.type === 'tracking_checked' && !event.followed) this.closing = true;
    }
    return effects;
  }

  /** Reports status changes that the transition table does not list: a bug, which must not stop the order. */
  private logRefused(event: RunEvent, refused: readonly RefusedChange[]): RunEffect[] {
    return refused.map(({ itemId, from, to }) => {
      log.error('status change refused', { ...this.ids, event: event.type, itemId, from, to });
      return { type: 'log', event: 'status_change_refused', itemId, data: { event: event.type, from, to } };
    });
  }

  private passed(deadline: Deadline): void {
    if (deadline.kind === 'close') {
      this.closing = true;
      return;
    }
    if (deadline.kind === 'check_tracking') {
      this.clock = { ...this.clock, trackingChecked: true };
      this.steps.checkTracking();
      return;
    }
    const { printOrderId } = deadline;
    if (deadline.kind === 'stop') {
      this.take({ type: 'reroute_due', printOrderId });
      return;
    }
    if (deadline.kind === 'reminder') {
      this.remind(printOrderId);
      return;
    }
    this.clock = { ...this.clock, raised: [...this.clock.raised, deadlineKey(deadline)] };
    this.take({ type: 'deadline', reason: deadline.reason, printOrderId });
    if (deadline.reason === 'not_received') this.remind(printOrderId);
  }

  /** Takes a flag from outside. A stall whose steps have ended meanwhile is cleared from the order's rows. */
  private flagged(event: EventOf<'flagged'>): void {
    const steps = this.unfinished;
    if (event.reason !== 'stalled') this.take(event);
    else this.take(steps.length === 0 ? { type: 'stall_ended' } : { ...event, steps });
  }

  /** Names of the running steps. */
  private get unfinished(): string[] {
    return allHandlersFinished() ? this.steps.unfinished : [...this.steps.unfinished, 'update'];
  }

  private get stallIsOver(): boolean {
    const { stalled } = this.state;
    return stalled !== undefined && !this.unfinished.some((name) => stalled.steps.includes(name));
  }

  /** Delivers the same message once more: the partner may have lost it after accepting it. */
  private remind(printOrderId: string): void {
    this.clock = clockAfterReminder(this.clock, printOrderId, Date.now());
    const { count } = this.clock.reminders![printOrderId]!;
    this.take({ type: 'reminded', printOrderId, count });
    this.steps.deliver(printOrderId);
  }

  /** Stops the timer and unneeded steps, and completes the others. */
  private async close(): Promise<void> {
    this.timer.stop();
    this.steps.preparation.stop();
    for (const { id } of this.state.printOrders) {
      this.steps.stopDelivering(id);
      this.steps.stopUpdating(id);
    }
    do {
      await condition(() => this.inbox.length > 0 || this.isIdle || this.steps.tasks.failed);
      this.steps.tasks.rethrow();
      await this.processInbox();
    } while (!this.isIdle);
  }
}
