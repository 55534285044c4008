import { log, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { deriveStatus } from '../../src/orders/domain/lifecycle/facts/items';
import { dispatchDueOf } from '../../src/orders/domain/lifecycle/rules/deadlines';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import { describeRun } from '../../src/orders/domain/run/run-details';
import type { ParkedPlan } from '../../src/orders/domain/run/run-messages';
import { SEARCH_ATTRIBUTES } from '../../src/platform/domain/search-attributes';
import type { RunContext } from './run-context';

/** Statuses that the search attribute merges: each upsert costs a history event. */
const COARSE_STATUS: Readonly<Record<string, string>> = {
  uploading: 'created',
  passed: 'in_production',
  printed: 'in_production',
  in_transit: 'shipped',
};

/** Shows an order run to operators: search attributes and current details in the Temporal UI, and log lines. */
export class Display {
  private shown = { status: '', attention: '', partners: '', due: null as number | null };

  /**
   * Sets the current details. They cost no history event.
   * @param taskNames names of the running background tasks
   * @param parked the pause of a parked order
   */
  describe(state: RunState, taskNames: readonly string[], parked: ParkedPlan | null): void {
    setCurrentDetails(describeRun(state, taskNames, parked?.nextAt ?? null));
  }

  /** Updates the search attributes, and writes a log line when the status or the attention reasons have changed. */
  show(before: RunState, state: RunState, ids: RunContext['ids']): void {
    const fine = deriveStatus(state);
    const status = COARSE_STATUS[fine] ?? fine;
    const attention = state.attention.join(' ');
    const partners = [...new Set(state.printOrders.map((printOrder) => printOrder.partnerUid))];
    const changes = [];
    if (this.shown.status !== status) changes.push({ key: SEARCH_ATTRIBUTES.orderStatus, value: status });
    if (this.shown.attention !== attention) {
      const reasons = state.attention.length === 0 ? null : [...state.attention];
      changes.push({ key: SEARCH_ATTRIBUTES.attentionReasons, value: reasons });
    }
    if (this.shown.partners !== partners.join()) changes.push({ key: SEARCH_ATTRIBUTES.partner, value: partners });
    const due = dispatchDueOf(state);
    // It can change without the status: one print order of several has shipped.
    if (this.shown.due !== due) {
      changes.push({ key: SEARCH_ATTRIBUTES.due, value: due === null ? null : new Date(due) });
    }
    // The start carries `created` and no attention; each later change costs one history event for all of them.
    if (changes.length > 0 && status !== 'created') upsertSearchAttributes(changes);
    this.shown = { status, attention, partners: partners.join(), due };
    if (fine !== deriveStatus(before) || attention !== before.attention.join(' '))
      log.info('order status', { ...ids, fulfillmentStatus: fine, attention: state.attention });
  }
}
