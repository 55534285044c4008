import { log, upsertSearchAttributes } from '@temporalio/workflow';
import { deriveStatus } from '../../src/orders/domain/lifecycle/facts/items';
import { dispatchDueOf } from '../../src/orders/domain/lifecycle/rules/deadlines';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import { SEARCH_ATTRIBUTES } from '../../src/platform/domain/search-attributes';
import type { RunContext } from './run-context';

/** Statuses that the search attribute merges: each upsert costs a history event. */
const COARSE_STATUS: Readonly<Record<string, string>> = {
  uploading: 'created',
  passed: 'in_production',
  printed: 'in_production',
  in_transit: 'shipped',
};

/** Shows an order run to operators: search attributes in the Temporal UI, and log lines. */
export class Display {
  /** Values of the search attributes as JSON. The start of a run has set their first ones. */
  private shown = ['""', 'null', '[]', 'null'];

  /** Updates the search attributes, and writes a log line when the status or the attention reasons have changed. */
  show(before: RunState, state: RunState, ids: RunContext['ids']): void {
    const fine = deriveStatus(state);
    const status = COARSE_STATUS[fine] ?? fine;
    const due = dispatchDueOf(state);
    const attributes = [
      { key: SEARCH_ATTRIBUTES.orderStatus, value: status },
      { key: SEARCH_ATTRIBUTES.attentionReasons, value: state.attention.length === 0 ? null : [...state.attention] },
      { key: SEARCH_ATTRIBUTES.partner, value: [...new Set(state.printOrders.map(({ partnerUid }) => partnerUid))] },
      // It can change without the status: one print order of several has shipped.
      { key: SEARCH_ATTRIBUTES.due, value: due === null ? null : new Date(due) },
    ];
    const values = attributes.map(({ value }) => JSON.stringify(value));
    const changes = attributes.filter((_attribute, index) => values[index] !== this.shown[index]);
    // The start carries `created` and no attention; each later change costs one history event for all of them.
    if (changes.length > 0 && status !== 'created') upsertSearchAttributes(changes);
    this.shown = values;
    if (fine !== deriveStatus(before) || state.attention.join() !== before.attention.join())
      log.info('order status', { ...ids, fulfillmentStatus: fine, attention: state.attention });
  }
}
