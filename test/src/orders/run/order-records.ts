import type { ItemStatus } from '../../../../src/orders/domain/lifecycle/statuses';
import { initialSnapshot, type RunRecord } from '../../../../src/orders/domain/run/run-record';
import { uuidv7 } from '../../../../src/platform/ids';
import { json, type Sql } from '../../../../src/platform/postgres';

const address = { country: 'DE', firstName: 'Ada', lastName: 'Byron' };

interface Step extends Partial<RunRecord> {
  /** Status of the item after the step. */
  readonly status?: ItemStatus;
}

export interface RecordedOrder {
  readonly id: string;
  readonly itemId: string;
  /** Returns the record of a step that sets the item to in_production, unless told otherwise. */
  step(over: Step): RunRecord;
}

/** Creates an order with one item, whose run has recorded nothing. */
export async function createOrder(sql: Sql, clientId: string): Promise<RecordedOrder> {
  const id = uuidv7();
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
      shipping_address)
    VALUES (${id}, ${clientId}, ${id}, 'order', 'created', 'pending', 'EUR', ${json(sql, address)})`;
  const [item] = await sql<{ id: string }[]>`
    INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status)
    VALUES (${id}, 0, 'item-1', 2, 'created') RETURNING id`;
  const itemId = item!.id;
  const initial = initialSnapshot([{ id: itemId, quantity: 2 }]);
  return {
    id,
    itemId,
    step: ({ status = 'in_production', version = 1, ...over }) => ({
      orderId: id,
      runId: 'run',
      position: 10,
      version,
      follows: { position: 0, version: 0 },
      snapshot: {
        ...initial,
        state: {
          ...initial.state,
          version,
          phase: status === 'delivered' ? 'closed' : 'running',
          items: [{ id: itemId, quantity: 2, status }],
        },
      },
      financialStatus: 'invoiced',
      effects: [{ type: 'log', event: 'received' }],
      handledPostbacks: [],
      refusal: null,
      ...over,
    }),
  };
}
