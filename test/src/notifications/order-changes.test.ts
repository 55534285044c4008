import { changesOf, type OrderView, snapshotOf } from '../../../src/notifications/domain/order-changes';
import { fulfillment, itemView as item, orderView as order } from '../../support/order-view';

const eventsOf = (view: OrderView, before: OrderView | null) =>
  changesOf(view, before === null ? null : snapshotOf(before)).map(({ event }) => event);

describe('notifications of an order', () => {
  it('an unchanged order has none', () => {
    const view = order({
      fulfillmentStatus: 'printed',
      items: [item({ status: 'printed', fulfillments: [{ ...fulfillment, trackingCode: 'T1' }] })],
    });
    expect(eventsOf(view, view)).toEqual([]);
    expect(eventsOf(order(), null)).toEqual([]);
  });

  it('each refused cancel is notified once, with its items', () => {
    const view = order({ items: [item(), item({ id: '2', itemReferenceId: 'item-2' })], refusedCancels: [['2']] });
    expect(changesOf(view, snapshotOf(order({ items: view.items })))).toMatchObject([
      { event: 'order_cancel_refused', payload: { orderId: 'o1', items: [{ itemReferenceId: 'item-2' }] } },
    ]);
    expect(eventsOf(view, view)).toEqual([]);
    expect(eventsOf({ ...view, refusedCancels: [['2'], ['1', '2']] }, view)).toEqual(['order_cancel_refused']);
  });

  it('cancelled units of an item that goes on are notified once, with the units of each time', () => {
    const cancelled = (cancelledUnits: number) => order({ items: [item({ cancelledUnits })] });
    expect(changesOf(cancelled(5), snapshotOf(cancelled(2)))).toMatchObject([
      {
        event: 'order_item_units_cancelled',
        payload: { itemReferenceId: 'item-1', status: 'created', quantity: 3, cancelledQuantity: 5 },
      },
    ]);
    expect(eventsOf(cancelled(2), null)).toEqual(['order_item_units_cancelled']);
    expect(eventsOf(cancelled(5), cancelled(5))).toEqual([]);
  });

  it('changed statuses of the order and of an item have every field of the payload', () => {
    const view = order({
      fulfillmentStatus: 'in_production',
      items: [item({ status: 'in_production', fulfillments: [fulfillment] })],
    });
    expect(changesOf(view, snapshotOf(order()))).toEqual([
      {
        event: 'order_status_updated',
        payload: {
          ...order().order,
          status: 'in_production',
          fulfillmentStatus: 'in_production',
          comment: null,
          refusalReasonCode: null,
          metadata: [{ key: 'shop', value: 'a' }],
          items: [
            {
              itemReferenceId: 'item-1',
              status: 'in_production',
              fulfillmentStatus: 'in_production',
              fulfillments: [fulfillment],
              fileChecks: [],
              metadata: [{ key: 'shelf', value: '7' }],
            },
          ],
        },
      },
      {
        event: 'order_item_status_updated',
        payload: {
          ...order().order,
          itemReferenceId: 'item-1',
          metadata: [{ key: 'shelf', value: '7' }],
          orderMetadata: [{ key: 'shop', value: 'a' }],
          fulfillmentCountry: 'DE',
          fulfillmentStateProvince: null,
          fulfillmentFacilityId: 'inkwerk-de',
          status: 'in_production',
          fulfillmentStatus: 'in_production',
          comment: null,
          refusalReasonCode: null,
        },
      },
    ]);
  });

  it('a changed status of an item is notified alone when the order’s status is unchanged', () => {
    const before = order({
      fulfillmentStatus: 'passed',
      items: [item({ status: 'passed' }), item({ id: '2', itemReferenceId: 'item-2', status: 'passed' })],
    });
    const after = order({
      fulfillmentStatus: 'passed',
      items: [item({ status: 'printed' }), before.items[1]!],
    });
    expect(eventsOf(after, before)).toEqual(['order_item_status_updated']);
  });

  it('each tracking code is notified once', () => {
    const before = order({ items: [item({ fulfillments: [fulfillment] })] });
    const first = order({
      items: [item({ fulfillments: [{ ...fulfillment, trackingCode: 'T1', trackingUrl: 'https://t/T1' }] })],
    });
    const second = order({
      items: [item({ fulfillments: [first.items[0]!.fulfillments[0]!, { ...fulfillment, trackingCode: 'T2' }] })],
    });
    expect(changesOf(first, snapshotOf(before))).toEqual([
      {
        event: 'order_item_tracking_code_updated',
        payload: expect.objectContaining({
          trackingCode: 'T1',
          trackingUrl: 'https://t/T1',
          shipmentMethodUid: 'tern_parcel',
          itemReferenceId: 'item-1',
        }),
      },
    ]);
    expect(changesOf(second, snapshotOf(first)).map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ trackingCode: 'T2' }),
    ]);
  });

  it('a delivery estimate is notified when it is first known and when it changes', () => {
    const planned = order({ minDeliveryDate: '2026-05-04', maxDeliveryDate: '2026-05-08' });
    const later = order({ minDeliveryDate: '2026-05-04', maxDeliveryDate: '2026-05-11' });
    expect(eventsOf(planned, order())).toEqual(['order_delivery_estimate_updated']);
    expect(changesOf(later, snapshotOf(planned))).toEqual([
      {
        event: 'order_delivery_estimate_updated',
        payload: expect.objectContaining({ minDeliveryDate: '2026-05-04', maxDeliveryDate: '2026-05-11' }),
      },
    ]);
  });

  it('the whole state is notified when there is no snapshot', () => {
    const view = order({
      fulfillmentStatus: 'shipped',
      minDeliveryDate: '2026-05-04',
      maxDeliveryDate: '2026-05-08',
      items: [item({ status: 'shipped', fulfillments: [{ ...fulfillment, trackingCode: 'T1' }] })],
    });
    expect(eventsOf(view, null)).toEqual([
      'order_status_updated',
      'order_item_status_updated',
      'order_item_tracking_code_updated',
      'order_delivery_estimate_updated',
    ]);
  });
});
