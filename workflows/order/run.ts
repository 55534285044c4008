import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  currentUpdateInfo,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { type Deadline, deadlineKey, nextDeadline, type RunClock } from '../../src/orders/domain/deadlines';
import { jobStatus, unitsToShip } from '../../src/orders/domain/derive';
import { reduce } from '../../src/orders/domain/lifecycle/reduce';
import { whyNotCancel, whyNotDispatch, whyNotRepair } from '../../src/orders/domain/refusals';
import { replacedUnits } from '../../src/orders/domain/replacement';
import { describeDeadline, describeRun } from '../../src/orders/domain/run-details';
import type { RunEffect, RunEvent } from '../../src/orders/domain/run-events';
import {
  type CancelRequest,
  type DispatchResult,
  type OrderRunInput,
  type OrderRunResult,
  type RepairRequest,
  RUN_REFUSALS,
  type RunRecord,
  type RunStep,
} from '../../src/orders/domain/run-messages';
import { runPosition } from '../../src/orders/domain/run-position';
import { initialRunState, type PrintOrderState, type RunState } from '../../src/orders/domain/run-state';
import { deriveOrderStatus, type FinancialStatus, hasShipped } from '../../src/orders/domain/statuses';
import { SEARCH_ATTRIBUTES } from '../../src/platform/domain/search-attributes';
import { carrier, database, files, partner, voiding } from './activities';
import {
  cancelUpdate,
  changeShippingUpdate,
  dispatchUpdate,
  postbackSignal,
  repairUpdate,
  runStateQuery,
  trackingSignal,
} from './messages';
import { Tasks } from './tasks';

/** One order's run: the reducer decides, this carries out. */
export class OrderRun {
  private state: RunState;
  private clock: RunClock;
  private readonly inbox: RunEvent[] = [];
  /** Events taken in and events written, since the run began: equal when nothing is under way. */
  private taken = 0;
  private written = 0;
  private readonly tasks = new Tasks();
  /** Why the last try to dispatch a print order failed. */
  private readonly dispatchFailures = new Map<string, ApplicationFailure>();
  private armed: { readonly at: number; readonly scope: CancellationScope } | null = null;
  private shown = { status: '', attention: '', partners: '' };
  private closing = false;
  /** An operator wants a parked order planned again now. */
  private replan = false;
  /** Whether a local activity is under way. */
  private stepping = false;
  /** Operators' acts: one at a time, each on what the one before left. */
  private repairing = false;
  /** What the record after it builds on. */
  private recorded: RunStep | null;
  private financialStatus: FinancialStatus | null;
  private refusal: RunRecord['refusal'] = null;

  constructor(private readonly input: OrderRunInput) {
    this.recorded = input.carried === undefined ? { position: 0, version: 0 } : null;
    this.financialStatus = input.carried === undefined ? 'pending' : null;
    this.state = input.carried?.state ?? initialRunState(input.items);
    this.clock = input.carried?.clock ?? { acceptedAt: {}, raised: [], shippedAt: null };
  }

  /** Wires every message; nothing is awaited before. Handlers only enqueue, and wait for what comes of it. */
  listen(): void {
    setHandler(postbackSignal, (event) => this.take(event));
    setHandler(trackingSignal, (event) => this.take(event));
    setHandler(dispatchUpdate, ({ printOrderId }) => this.dispatch(printOrderId), {
      validator: ({ printOrderId }) => refuseWith(whyNotDispatch(this.state, printOrderId)),
    });
    setHandler(changeShippingUpdate, ({ changeId }) => this.changeShipping(changeId), {
      validator: (_change) => refuseWith(whyNotCancel(this.state, 'changed')),
    });
    setHandler(cancelUpdate, (request) => this.cancel(request), {
      validator: (_request) => refuseWith(whyNotCancel(this.state, 'cancelled')),
    });
    setHandler(repairUpdate, (request) => this.repair(request), {
      validator: (request) => refuseWith(whyNotRepair(this.state, request)),
    });
    setHandler(runStateQuery, () => this.state);
  }

  async toItsEnd(): Promise<OrderRunResult> {
    this.resume();
    while (!this.isOver) {
      this.arm();
      await condition(() => this.inbox.length > 0 || this.isOver);
      this.tasks.rethrow();
      await this.drain();
      if (workflowInfo().continueAsNewSuggested && this.isAtRest) {
        await continueAsNew<(input: OrderRunInput) => Promise<OrderRunResult>>({
          ...this.input,
          carried: { state: this.state, clock: this.clock },
        });
      }
    }
    await this.close();
    return { fulfillmentStatus: this.orderStatus };
  }

  /**
   * Local activities run one at a time. Two at once end in some order, each waking the run by itself, and a replay
   * gives the results of both together: the run would not take the same way again.
   */
  private async alone<T>(step: () => Promise<T>): Promise<T> {
    while (this.stepping) await condition(() => !this.stepping);
    this.stepping = true;
    try {
      return await step();
    } finally {
      this.stepping = false;
    }
  }

  private take(event: RunEvent): void {
    this.inbox.push(event);
    this.taken += 1;
  }

  private get orderStatus() {
    return deriveOrderStatus(this.state.items.map((item) => item.status));
  }

  /** Whether nothing is under way, and nobody waits for an answer. */
  private get isAtRest(): boolean {
    return this.inbox.length === 0 && this.tasks.idle && allHandlersFinished();
  }

  private get isOver(): boolean {
    const idle = this.inbox.length === 0 && !this.repairing;
    return idle && (this.state.phase === 'closed' || this.closing);
  }

  /** Starts what a new run starts with, or what a continued one was about. */
  private resume(): void {
    if (this.state.phase === 'preparing' && !this.state.held) this.startPreparation();
    for (const printOrder of this.state.printOrders) {
      if (printOrder.delivery === 'pending' && !this.state.held) this.startDelivery(printOrder.id);
    }
  }

  // The main loop's step: events in, one record, then what leaves the house -------------------------

  private async drain(): Promise<void> {
    while (this.inbox.length > 0) {
      const before = this.state;
      const effects: RunEffect[] = [];
      const events = this.inbox.splice(0);
      for (const event of events) {
        const step = reduce(this.state, event);
        this.state = step.state;
        effects.push(...step.effects);
        this.remember(event);
      }
      const handledPostbacks = events.flatMap((event) => (event.type === 'postback' ? [event.eventId] : []));
      if (this.state !== before || handledPostbacks.length > 0) {
        const record = this.record(before, effects, handledPostbacks);
        this.recorded = { position: record.position, version: record.version };
        await this.alone(() =>
          database.recordRun.executeWithOptions({ summary: summaryOf(events) }, [record]),
        );
      }
      this.logChange(before);
      this.show();
      for (const effect of effects) this.carryOut(effect);
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
    this.financialStatus = this.newFinancialStatus(before, effects) ?? this.financialStatus;
    return {
      orderId: this.input.orderId,
      position: runPosition(runStartTime.getTime(), historyLength),
      version: this.state.version,
      follows: this.recorded,
      fulfillmentStatus: this.orderStatus,
      financialStatus: this.financialStatus,
      items: this.state.items.map(({ id, status }) => ({ id, status })),
      jobs: this.state.printOrders.flatMap((printOrder) =>
        printOrder.jobs.map((job) => ({
          id: job.id,
          status: jobStatus(job, printOrder) ?? 'superseded',
          quantity: job.quantity,
        })),
      ),
      printOrders: this.state.printOrders.map((printOrder) => ({
        id: printOrder.id,
        status: printOrderStatus(printOrder),
      })),
      attention: this.state.attention,
      effects: [...effects.filter((effect) => WRITTEN_EFFECTS.has(effect.type)), ...changes],
      handledPostbacks,
      refusal: this.refusal,
    };
  }

  /** Null: the step leaves it as it is. */
  private newFinancialStatus(before: RunState, effects: readonly RunEffect[]): FinancialStatus | null {
    if (this.state.items.some((item) => item.status === 'failed')) return 'canceled';
    const canceled = this.orderStatus === 'canceled';
    if (before.phase === 'preparing') {
      if (canceled) return 'canceled';
      return this.state.phase === 'running' ? 'invoiced' : null;
    }
    if (!effects.some((effect) => effect.type === 'refund')) return null;
    return canceled ? 'refunded' : 'partially_refunded';
  }

  private remember(event: RunEvent): void {
    if (event.type === 'refused')
      this.refusal = { code: event.code, reason: event.reason, details: event.details };
    if (
      event.type === 'delivery' &&
      event.outcome === 'accepted' &&
      !(event.printOrderId in this.clock.acceptedAt)
    ) {
      this.clock = {
        ...this.clock,
        acceptedAt: { ...this.clock.acceptedAt, [event.printOrderId]: Date.now() },
      };
    }
    const shipped = this.state.items.every((item) => hasShipped(item.status) || item.status === 'cancelled');
    if (shipped && this.clock.shippedAt === null) this.clock = { ...this.clock, shippedAt: Date.now() };
  }

  private carryOut(effect: RunEffect): void {
    switch (effect.type) {
      case 'deliver_print_order':
        this.startDelivery(effect.printOrderId);
        return;
      case 'request_partner_cancel':
        this.startPartnerCancel(effect);
        return;
      case 'void_shipment':
        this.tasks.start(`void:${effect.shipmentId}`, () =>
          CancellationScope.nonCancellable(() =>
            voiding.voidOrderShipment({
              ...this.ids,
              printOrderId: effect.printOrderId,
              shipmentId: effect.shipmentId,
            }),
          ),
        );
    }
  }

  // Tasks --------------------------------------------------------------------------------------------

  private get ids(): { orderId: string; requestId: string } {
    return { orderId: this.input.orderId, requestId: this.input.requestId };
  }

  private startPreparation(): void {
    this.take({ type: 'fetching_files' });
    this.tasks.start('prepare', async () => {
      try {
        await files.fetchOrderFiles({ ...this.ids, windowMs: this.input.fileRetryWindowMs });
      } catch (error) {
        if (isCancellation(error)) throw error;
        this.take(fileRefusal(error));
        return;
      }
      for (let attempt = 0; ; attempt += 1) {
        // The plan writes rows and reserves stock: once begun it is seen through, even when the order is cancelled.
        const plan = await CancellationScope.nonCancellable(() =>
          this.alone(() => database.prepareOrder(this.ids)),
        );
        if (plan.outcome === 'planned') {
          this.take({ type: 'prepared', printOrders: plan.printOrders });
          return;
        }
        if (plan.outcome === 'refused') {
          this.take({ type: 'refused', code: plan.code, reason: plan.reason, details: plan.details });
          return;
        }
        this.take({ type: 'parked', reason: plan.reason, message: plan.message });
        // What stands in the way may pass by itself: stock comes in, a partner subscribes.
        this.replan = false;
        await condition(() => this.replan, REPLAN_AFTER[Math.min(attempt, REPLAN_AFTER.length - 1)]!);
      }
    });
  }

  /** What a step is about, in the Temporal UI. */
  private summaryOf(printOrderId: string): string {
    return `print order ${printOrderId}, ${this.printOrder(printOrderId).partnerUid}`;
  }

  private startDelivery(printOrderId: string): void {
    this.tasks.start(`deliver:${printOrderId}`, async () => {
      try {
        await partner.deliverPrintOrder.executeWithOptions({ summary: this.summaryOf(printOrderId) }, [
          { ...this.ids, printOrderId },
        ]);
        this.take({ type: 'delivery', printOrderId, outcome: 'accepted', message: '' });
      } catch (error) {
        const failure = applicationFailure(error);
        if (failure === null) throw error;
        const outcome = failure.type === 'PrintOrderRefused' ? 'refused' : 'undeliverable';
        this.take({ type: 'delivery', printOrderId, outcome, message: failure.message });
      }
    });
  }

  private startPartnerCancel(effect: Extract<RunEffect, { type: 'request_partner_cancel' }>): void {
    const { printOrderId, jobIds, reason } = effect;
    this.tasks.start(`cancel:${printOrderId}:${jobIds.join(',')}`, async () => {
      // The order must not arrive after the word that cancels it.
      await condition(() => !this.tasks.has(`deliver:${printOrderId}`), '1 minute');
      this.tasks.cancel(`deliver:${printOrderId}`);
      try {
        const answer = await partner.cancelAtPartner({
          ...this.ids,
          printOrderId,
          jobIds: [...jobIds],
          reason,
        });
        if (answer.outcome !== 'pending') {
          this.take({
            type: 'partner_cancel',
            printOrderId,
            outcome: answer.outcome,
            message: answer.message,
          });
        }
      } catch (error) {
        const failure = applicationFailure(error);
        if (failure === null) throw error;
        this.take({
          type: 'partner_cancel',
          printOrderId,
          outcome: 'refused',
          message: failure.message,
        });
      }
    });
  }

  private startDispatch(printOrderId: string): void {
    const revision = this.state.shippingRevision;
    this.tasks.start(`dispatch:${printOrderId}`, async () => {
      try {
        const { shipmentId } = await carrier.dispatchPrintOrder.executeWithOptions(
          { summary: this.summaryOf(printOrderId) },
          [{ ...this.ids, printOrderId, revision, jobs: unitsToShip(this.printOrder(printOrderId)) }],
        );
        this.take({ type: 'dispatched', printOrderId, shipmentId, revision });
      } catch (error) {
        const failure = applicationFailure(error);
        if (failure === null) throw error;
        this.dispatchFailures.set(printOrderId, failure);
        this.take({ type: 'deadline', reason: 'dispatch_failed', printOrderId });
      }
    });
  }

  // Messages that wait for what comes of them --------------------------------------------------------

  private printOrder(id: string): PrintOrderState {
    return this.state.printOrders.find((printOrder) => printOrder.id === id)!;
  }

  private async dispatch(printOrderId: string): Promise<DispatchResult> {
    for (;;) {
      const { shipment } = this.printOrder(printOrderId);
      if (shipment !== null) return { shipmentId: shipment.id };
      refuseWith(whyNotDispatch(this.state, printOrderId));
      this.dispatchFailures.delete(printOrderId);
      this.startDispatch(printOrderId);
      await condition(() => !this.tasks.has(`dispatch:${printOrderId}`));
      await this.settled();
      const failure = this.dispatchFailures.get(printOrderId);
      if (failure !== undefined) throw failure;
    }
  }

  /**
   * Until what asks for it is in the history: a workflow task that is lost takes an update with it, and nothing may
   * have been written of an act that nobody knows of. The timer ends the task under way.
   */
  private async accepted(): Promise<void> {
    await sleep(1);
  }

  private async changeShipping(changeId: string): Promise<{ revision: number }> {
    await this.accepted();
    refuseWith(whyNotCancel(this.state, 'changed'));
    const result = await this.alone(() => database.applyShippingChange({ ...this.ids, changeId }));
    if (result.outcome === 'refused') throw refusal(RUN_REFUSALS.invalid, result.message);
    this.take({ type: 'shipping_changed', revision: result.revision });
    await this.settled();
    return { revision: result.revision };
  }

  private async cancel(request: CancelRequest) {
    await this.accepted();
    refuseWith(whyNotCancel(this.state, 'cancelled'));
    if (this.state.phase === 'preparing') this.tasks.cancel('prepare');
    this.take({ type: 'cancel_requested', by: request.by, reason: request.reason });
    await this.settled();
    // A partner's quick word is worth waiting for; a slow one comes with the order's status.
    if (await condition(() => !this.tasks.some('cancel:'), '5 seconds')) await this.settled();
    return { fulfillmentStatus: this.orderStatus };
  }

  private async repair(request: RepairRequest) {
    // One that waited looks again: of several whose wait ends together only the first goes on.
    while (this.repairing) await condition(() => !this.repairing);
    this.repairing = true;
    try {
      await this.accepted();
      // The act before it may have left nothing to do.
      refuseWith(whyNotRepair(this.state, request));
      await this.act(request);
      await this.settled();
      return { fulfillmentStatus: this.orderStatus };
    } finally {
      this.repairing = false;
    }
  }

  private async act(request: RepairRequest): Promise<void> {
    const { by, reason } = request;
    switch (request.action) {
      case 'hold':
      case 'release':
        this.take({ type: request.action, by, reason });
        return;
      case 'retry':
        this.take({ type: 'retry', by, reason, itemIds: request.itemIds });
        this.replan = true;
        return;
      case 'cancel':
        this.take({ type: 'cancel_items', by, reason, itemIds: request.itemIds });
        return;
      case 'reroute':
      case 'reproduce':
        await this.replace(request);
    }
  }

  private async replace(request: Extract<RepairRequest, { action: 'reroute' | 'reproduce' }>): Promise<void> {
    const { action, itemId, by, reason } = request;
    const replaces = replacedUnits(this.state, request);
    const plan = await this.alone(() =>
      database.planReplacement({
        ...this.ids,
        step: `${action}:${currentUpdateInfo()!.id}`,
        action,
        itemId,
        quantity: request.quantity ?? (replaces.reduce((sum, { quantity }) => sum + quantity, 0) || null),
        partnerId: request.partnerId,
        madeAt: madeAt(this.state, itemId),
      }),
    );
    if (plan.outcome === 'refused') throw refusal(RUN_REFUSALS.conflict, plan.message);
    this.take({ type: 'replaced', action, by, reason, printOrder: plan.printOrder, replaces });
    await this.settled();
    if (this.printOrder(plan.printOrder.id).jobs.every((job) => job.ended !== null)) {
      throw refusal(RUN_REFUSALS.conflict, `item ${itemId} has shipped or ended meanwhile`);
    }
  }

  /** Until the main loop has decided on, and written, everything taken in so far. */
  private async settled(): Promise<void> {
    const { taken } = this;
    await condition(() => this.written >= taken);
  }

  // Deadlines ----------------------------------------------------------------------------------------

  /** Keeps one timer, for the next deadline. */
  private arm(): void {
    const deadline = nextDeadline(this.state, this.clock, { receivedMs: this.input.receivedDeadlineMs });
    if (deadline?.at === this.armed?.at) return;
    this.armed?.scope.cancel();
    this.armed = null;
    if (deadline === null) return;
    const scope = new CancellationScope();
    this.armed = { at: deadline.at, scope };
    scope
      .run(async () => {
        await sleep(Math.max(deadline.at - Date.now(), 1), { summary: describeDeadline(deadline) });
        this.passed(deadline);
      })
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }

  private passed(deadline: Deadline): void {
    this.armed = null;
    if (deadline.kind === 'close') {
      this.closing = true;
      return;
    }
    this.clock = { ...this.clock, raised: [...this.clock.raised, deadlineKey(deadline)] };
    this.take({ type: 'deadline', reason: deadline.reason, printOrderId: deadline.printOrderId });
    // One more delivery of the same message: the partner may have lost it after accepting.
    if (deadline.reason === 'not_received') this.startDelivery(deadline.printOrderId);
  }

  /** One line a change of status, under the id of the request that submitted the order. */
  private logChange(before: RunState): void {
    const fulfillmentStatus = this.orderStatus;
    const { attention } = this.state;
    const same = fulfillmentStatus === deriveOrderStatus(before.items.map((item) => item.status));
    if (same && attention.join() === before.attention.join()) return;
    log.info('order status', { ...this.ids, fulfillmentStatus, attention });
  }

  // What operators see -------------------------------------------------------------------------------

  private show(): void {
    const status = this.orderStatus;
    const attention = this.state.attention.join(' ');
    const partners = [...new Set(this.state.printOrders.map((printOrder) => printOrder.partnerUid))];
    const coarse = COARSE_STATUS[status] ?? status;
    const changes = [];
    if (this.shown.status !== coarse) changes.push({ key: SEARCH_ATTRIBUTES.orderStatus, value: coarse });
    if (this.shown.attention !== attention) {
      changes.push({ key: SEARCH_ATTRIBUTES.attention, value: this.state.attention[0] ?? null });
    }
    if (this.shown.partners !== partners.join())
      changes.push({ key: SEARCH_ATTRIBUTES.partner, value: partners });
    // The start carries `created` and no attention; each later change costs one history event for all three.
    if (changes.length > 0 && coarse !== 'created') upsertSearchAttributes(changes);
    this.shown = { status: coarse, attention, partners: partners.join() };
    setCurrentDetails(describeRun(this.state, this.tasks.names));
  }

  /** Ends what waits for nothing any more; sees through what must not be left half done. */
  private async close(): Promise<void> {
    this.armed?.scope.cancel();
    this.tasks.cancel('prepare');
    for (const { id } of this.state.printOrders) this.tasks.cancel(`deliver:${id}`);
    do {
      await condition(() => this.inbox.length > 0 || this.isAtRest);
      this.tasks.rethrow();
      await this.drain();
    } while (!this.isAtRest);
  }
}

/** How long a parked order waits before it is planned again. */
const REPLAN_AFTER = ['1 minute', '5 minutes', '15 minutes', '1 hour'] as const;

/** Coarse phases for the search attribute, so that a run upserts a handful of times. */
const COARSE_STATUS: Readonly<Record<string, string>> = {
  uploading: 'created',
  passed: 'in_production',
  printed: 'in_production',
  in_transit: 'shipped',
};

const WRITTEN_EFFECTS: ReadonlySet<RunEffect['type']> = new Set([
  'log',
  'consume_stock',
  'release_stock',
  'refund',
  'tracking_code',
]);

function printOrderStatus(printOrder: PrintOrderState): string {
  if (printOrder.jobs.every((job) => job.ended !== null)) return 'cancelled';
  return printOrder.delivery;
}

/** The print orders that still make an item. */
function madeAt(state: RunState, itemId: string): { printOrderId: string; partnerId: string }[] {
  return state.printOrders
    .filter(({ jobs }) => jobs.some((job) => job.itemId === itemId && job.ended === null))
    .map(({ id, partnerId }) => ({ printOrderId: id, partnerId }));
}

/** What happened, for the marker of the record in the Temporal UI, which shows 200 bytes. */
function summaryOf(events: readonly RunEvent[]): string {
  const names = events.map((event) => (event.type === 'postback' ? `postback ${event.status}` : event.type));
  return names.join(', ').slice(0, 200);
}

function refusal(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type);
}

function refuseWith(why: { type: string; message: string } | null): void {
  if (why !== null) throw refusal(why.type, why.message);
}

/** The failure an activity ended with; null for cancellations and bugs, which are thrown on. */
function applicationFailure(error: unknown): ApplicationFailure | null {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) return null;
  const { cause } = error;
  if (cause instanceof ApplicationFailure) return cause;
  return ApplicationFailure.nonRetryable(cause?.message ?? error.message, RUN_REFUSALS.unavailable);
}

function fileRefusal(error: unknown): Extract<RunEvent, { type: 'refused' }> {
  const failure = applicationFailure(error);
  if (failure === null) throw error;
  const details = (failure.details?.[0] as { code?: string } | undefined) ?? null;
  // Without details it is no fault of a file's, but a step of ours that was ended.
  if (details?.code === undefined) {
    return {
      type: 'refused',
      code: 'file_unreachable',
      reason: 'The files of the order could not be taken in within the time for it.',
      details: null,
    };
  }
  return { type: 'refused', code: details.code, reason: failure.message, details };
}
