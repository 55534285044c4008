import type { Fulfillment } from '../../src/notifications/domain/event-schemas';
import type { ItemView, OrderView } from '../../src/notifications/domain/order-changes';

/** An order as its notifications are made from it. */

export const fulfillment: Fulfillment = {
  quantity: 1,
  trackingCode: null,
  trackingUrl: null,
  shipmentMethodName: 'Tern Parcel',
  shipmentMethodUid: 'tern_parcel',
  fulfillmentCountry: 'DE',
  fulfillmentStateProvince: null,
  fulfillmentFacilityId: 'inkwerk-de',
};
export const itemView = (fields: Partial<ItemView> = {}): ItemView => ({
  id: '1',
  itemReferenceId: 'item-1',
  status: 'created',
  metadata: [{ key: 'shelf', value: '7' }],
  comment: null,
  cancelledUnits: 0,
  fulfillments: [],
  fileChecks: [],
  ...fields,
});
export const orderView = (fields: Partial<OrderView> = {}): OrderView => ({
  order: { orderId: 'o1', storeId: null, orderReferenceId: 'ref-1' },
  fulfillmentStatus: 'created',
  metadata: [{ key: 'shop', value: 'a' }],
  refusalReason: null,
  refusalReasonCode: null,
  minDeliveryDate: null,
  maxDeliveryDate: null,
  refusedCancels: [],
  items: [itemView()],
  ...fields,
});
