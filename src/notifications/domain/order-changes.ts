import type { NotificationEvent } from './events';

/** How one order stands, as far as notifications tell. */
export interface OrderView {
  readonly orderId: string;
  readonly orderReferenceId: string;
  readonly fulfillmentStatus: string;
  readonly metadata: readonly unknown[];
  readonly refusalReason: string | null;
  /** YYYY-MM-DD, the earliest and latest of all shipments; null before the first is planned. */
  readonly minDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
  readonly items: readonly ItemView[];
}

export interface ItemView {
  readonly id: string;
  readonly itemReferenceId: string;
  readonly status: string;
  readonly metadata: readonly unknown[];
  /** What a partner or the run last said of it. */
  readonly comment: string | null;
  readonly fulfillments: readonly Fulfillment[];
}

/** One parcel that an item travels in, as clients know it. */
export interface Fulfillment {
  readonly trackingCode: string | null;
  readonly trackingUrl: string | null;
  readonly shipmentMethodName: string;
  readonly shipmentMethodUid: string;
  readonly fulfillmentCountry: string;
  readonly fulfillmentStateProvince: string | null;
  readonly fulfillmentFacilityId: string;
}

/** What a client was last told of an order, no more than comparing needs. */
export interface NotifiedSnapshot {
  readonly status: string;
  readonly minDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
  readonly items: Readonly<
    Record<string, { readonly status: string; readonly trackingCodes: readonly string[] }>
  >;
}

/** A notification before it has its id. */
export interface Notification {
  readonly event: NotificationEvent;
  readonly payload: object;
}

export function snapshotOf(view: OrderView): NotifiedSnapshot {
  return {
    status: view.fulfillmentStatus,
    minDeliveryDate: view.minDeliveryDate,
    maxDeliveryDate: view.maxDeliveryDate,
    items: Object.fromEntries(
      view.items.map(({ id, status, fulfillments }) => [
        id,
        { status, trackingCodes: trackingCodes(fulfillments) },
      ]),
    ),
  };
}

const trackingCodes = (fulfillments: readonly Fulfillment[]) =>
  fulfillments.flatMap(({ trackingCode }) => (trackingCode === null ? [] : [trackingCode]));

/**
 * What to tell a client of an order that stood as `told` and now stands as `view`: one notification for each thing
 * that differs. The answer to the submission told of `created`, so that a first view speaks of what is beyond it.
 */
export function changesOf(view: OrderView, notified: NotifiedSnapshot | null): Notification[] {
  const order = { orderId: view.orderId, storeId: null, orderReferenceId: view.orderReferenceId };
  const notifications: Notification[] = [];
  if (view.fulfillmentStatus !== (notified?.status ?? 'created')) {
    notifications.push({
      event: 'order_status_updated',
      payload: {
        ...order,
        fulfillmentStatus: view.fulfillmentStatus,
        comment: view.refusalReason,
        metadata: view.metadata,
        items: view.items.map(({ itemReferenceId, status, fulfillments, metadata }) => ({
          itemReferenceId,
          fulfillmentStatus: status,
          fulfillments,
          metadata,
        })),
      },
    });
  }
  for (const item of view.items) {
    const before = notified?.items[item.id];
    const common = { ...order, itemReferenceId: item.itemReferenceId, metadata: item.metadata };
    const {
      fulfillmentCountry = null,
      fulfillmentStateProvince = null,
      fulfillmentFacilityId = null,
    } = item.fulfillments[0] ?? {};
    if (item.status !== (before?.status ?? 'created')) {
      notifications.push({
        event: 'order_item_status_updated',
        payload: {
          ...common,
          fulfillmentCountry,
          fulfillmentStateProvince,
          fulfillmentFacilityId,
          status: item.status,
          comment: item.comment,
        },
      });
    }
    for (const fulfillment of item.fulfillments) {
      const { trackingCode } = fulfillment;
      if (trackingCode === null || before?.trackingCodes.includes(trackingCode)) continue;
      notifications.push({
        event: 'order_item_tracking_code_updated',
        payload: { ...common, ...fulfillment },
      });
    }
  }
  const { minDeliveryDate, maxDeliveryDate } = view;
  const isNewEstimate =
    minDeliveryDate !== (notified?.minDeliveryDate ?? null) ||
    maxDeliveryDate !== (notified?.maxDeliveryDate ?? null);
  if (isNewEstimate && minDeliveryDate !== null) {
    notifications.push({
      event: 'order_delivery_estimate_updated',
      payload: { ...order, minDeliveryDate, maxDeliveryDate, metadata: view.metadata },
    });
  }
  return notifications;
}
