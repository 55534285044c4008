import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  clockAfter,
  type Deadline,
  deadlineKey,
  nextDeadline,
  type RunClock,
} from '../../src/orders/domain/lifecycle/deadlines';
import { deriveFinancialStatus, deriveStatus } from '../../src/orders/domain/lifecycle/derive';
import {
  whyNotCancel,
  whyNotChangeShipping,
  whyNotDispatch,
  whyNotRepair,
} from '../../src/orders/domain/lifecycle/guards';
import { reduce } from '../../src/orders/domain/lifecycle/reduce';
import type { RunEffect, RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import { initialRunState, type RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { FinancialStatus } from '../../src/orders/domain/lifecycle/statuses';
import type {
  OrderRunInput,
  OrderRunResult,
  RecordStep,
  RunRecord,
} from '../../src/orders/domain/run/run-messages';
import { runPosition } from '../../src/orders/domain/run/run-position';
import { rowsOf } from '../../src/orders/domain/run/run-rows';
import { database } from './activities';
import { BackgroundSteps, type OrderRunContext } from './background-steps';
import { DeadlineTimer } from './deadline-timer';
import { Display, logChange, summaryOf } from './display';
import { refuseWith } from './failures';
import {
  cancelUpdate,
  changeShippingUpdate,
  dispatchUpdate,
  postbackSignal,
  repairUpdate,
  runStateQuery,
  trackingSignal,
} from './messages';
import { Mutex } from './mutex';
import { type SettlingRun, Updates } from './updates';

/** One order's run: the reducer decides, this carries out. */
export class OrderRun implements SettlingRun {
  readonly ids: OrderRunContext['ids'];
  state: RunState;
  private clock: RunClock;
  private readonly inbox: RunEvent[] = [];
  /** Events taken in and events written, since the run began: equal when nothing is under way. */
  private taken = 0;
  private written = 0;
  /**
   * Local activities run one at a time. Two at once end in some order, each waking the run by itself, and a replay
   * gives the results of both together: the run would not take the same way again.
   */
  private readonly local = new Mutex();
  private readonly steps = new BackgroundSteps(this, this.local);
  private readonly updates = new Updates(this, this.steps, this.local);
  private readonly timer = new DeadlineTimer((deadline) => this.passed(deadline));
  private readonly display = new Display();
  private closing = false;
  /** What the record after it builds on. */
  private recorded: RecordStep | null;
  private financialStatus: FinancialStatus | null;
  private refusal: RunRecord['refusal'] = null;

  constructor(readonly input: OrderRunInput) {
    this.ids = { orderId: input.orderId, requestId: input.requestId };
    this.recorded = input.carried === undefined ? { position: 0, version: 0 } : null;
    this.financialStatus = input.carried === undefined ? 'pending' : null;
    this.state = input.carried?.state ?? initialRunState(input.items);
    this.clock = input.carried?.clock ?? { acceptedAt: {}, raised: [], shippedAt: null };
  }

  /** Wires every message; nothing is awaited before. Signals only enqueue, updates wait for what comes of them. */
  listen(): void {
    setHandler(postbackSignal, (event) => this.take(event));
    setHandler(trackingSignal, (event) => this.take(event));
    setHandler(dispatchUpdate, ({ printOrderId }) => this.updates.dispatch(printOrderId), {
      validator: ({ printOrderId }) => refuseWith(whyNotDispatch(this.state, printOrderId)),
    });
    setHandler(changeShippingUpdate, ({ changeId }) => this.updates.changeShipping(changeId), {
      validator: (_change) => refuseWith(whyNotChangeShipping(this.state)),
    });
    setHandler(cancelUpdate, (request) => this.updates.cancel(request), {
      validator: (_request) => refuseWith(whyNotCancel(this.state)),
    });
    setHandler(repairUpdate, (request) => this.updates.repair(request), {
      validator: (request) => refuseWith(whyNotRepair(this.state, request)),
    });
    setHandler(runStateQuery, () => this.state);
  }

  async toItsEnd(): Promise<OrderRunResult> {
    this.resume();
    while (!this.isOver) {
      this.timer.arm(nextDeadline(this.state, this.clock, { receivedMs: this.input.receivedDeadlineMs }));
      await condition(() => this.inbox.length > 0 || this.isOver || this.steps.failed);
      this.steps.rethrow();
      await this.drain();
      if (workflowInfo().continueAsNewSuggested && this.isAtRest) {
        await continueAsNew<(input: OrderRunInput) => Promise<OrderRunResult>>({
          ...this.input,
          carried: { state: this.state, clock: this.clock },
        });
      }
    }
    await this.close();
    return { fulfillmentStatus: deriveStatus(this.state) };
  }

  take(event: RunEvent): void {
    this.inbox.push(event);
    this.taken += 1;
  }

  async settled(): Promise<void> {
    const { taken } = this;
    await condition(() => this.written >= taken);
  }

  /** Whether nothing is under way, and nobody waits for an answer. */
  private get isAtRest(): boolean {
    return this.inbox.length === 0 && this.steps.idle && allHandlersFinished();
  }

  private get isOver(): boolean {
    const idle = this.inbox.length === 0 && !this.updates.repairing;
    return idle && (this.state.phase === 'closed' || this.closing);
  }

  /** Starts what a new run starts with, or what a continued one was about. */
  private resume(): void {
    if (this.state.phase === 'preparing' && !this.state.held) this.steps.prepare();
    for (const printOrder of this.state.printOrders) {
      if (printOrder.delivery === 'pending' && !this.state.held) this.steps.deliver(printOrder.id);
    }
  }

  /** The main loop's step: events in, one record, then what leaves the house. */
  private async drain(): Promise<void> {
    while (this.inbox.length > 0) {
      const before = this.state;
      const effects: RunEffect[] = [];
      const events = this.inbox.splice(0);
      for (const event of events) {
        const step = reduce(this.state, event);
        this.state = step.state;
        effects.push(...step.effects);
        this.clock = clockAfter(this.clock, event, this.state, Date.now());
        if (event.type === 'refused') {
          this.refusal = { code: event.code, reason: event.reason, details: event.details };
        }
      }
      const handledPostbacks = events.flatMap((event) => (event.type === 'postback' ? [event.eventId] : []));
      if (this.state !== before || handledPostbacks.length > 0) {
        const record = this.record(before, effects, handledPostbacks);
        this.recorded = { position: record.position, version: record.version };
        await this.local.run(() =>
          database.recordRun.executeWithOptions({ summary: summaryOf(events) }, [record]),
        );
      }
      logChange(before, this.state, this.ids);
      this.display.show(this.state, this.steps.names);
      for (const effect of effects) this.steps.carryOut(effect);
      this.written += events.length;
    }
  }

  private record(
    before: RunState,
    effects: readonly RunEffect[],
    handledPostbacks: readonly string[],
  ): RunRecord {
    const statuses = new Map(before.items.map((item) => [item.id, item.status]));
    const changes = this.state.items
      .filter((item) => statuses.get(item.id) !== item.status)
      .map(({ id, status }): RunEffect => ({ type: 'log', event: 'status', itemId: id, data: { status } }));
    const { runStartTime, historyLength } = workflowInfo();
    this.financialStatus = deriveFinancialStatus(before, this.state, effects) ?? this.financialStatus;
    return {
      orderId: this.input.orderId,
      position: runPosition(runStartTime.getTime(), historyLength),
      version: this.state.version,
      follows: this.recorded,
      ...rowsOf(this.state),
      financialStatus: this.financialStatus,
      effects: [...effects.filter((effect) => WRITTEN_EFFECTS.has(effect.type)), ...changes],
      handledPostbacks,
      refusal: this.refusal,
    };
  }

  private passed(deadline: Deadline): void {
    if (deadline.kind === 'close') {
      this.closing = true;
      return;
    }
    this.clock = { ...this.clock, raised: [...this.clock.raised, deadlineKey(deadline)] };
    this.take({ type: 'deadline', reason: deadline.reason, printOrderId: deadline.printOrderId });
    // One more delivery of the same message: the partner may have lost it after accepting.
    if (deadline.reason === 'not_received') this.steps.deliver(deadline.printOrderId);
  }

  /** Ends what waits for nothing any more; sees through what must not be left half done. */
  private async close(): Promise<void> {
    this.timer.stop();
    this.steps.stopPreparing();
    for (const { id } of this.state.printOrders) this.steps.stopDelivering(id);
    do {
      await condition(() => this.inbox.length > 0 || this.isAtRest || this.steps.failed);
      this.steps.rethrow();
      await this.drain();
    } while (!this.isAtRest);
  }
}

const WRITTEN_EFFECTS: ReadonlySet<RunEffect['type']> = new Set([
  'log',
  'consume_stock',
  'release_stock',
  'refund',
  'tracking_code',
]);
