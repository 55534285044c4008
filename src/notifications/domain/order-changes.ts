import type { FileCheck, Fulfillment, NotificationPayload, NotifiedOrder } from './event-schemas';

/** The part of an order that notifications contain. */
export interface OrderView {
  readonly order: NotifiedOrder;
  readonly fulfillmentStatus: string;
  readonly metadata: readonly unknown[];
  readonly refusalReason: string | null;
  readonly refusalReasonCode: string | null;
  /** YYYY-MM-DD, the earliest and latest of all shipments; null before the order is planned. */
  readonly minDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
  /** Ids of the items of each cancel request that a partner refused, oldest first. */
  readonly refusedCancels: readonly (readonly string[])[];
  readonly items: readonly ItemView[];
}

export interface ItemView {
  readonly id: string;
  readonly itemReferenceId: string;
  readonly status: string;
  readonly metadata: readonly unknown[];
  /** Why production stopped, in Pressline's words; null while it has not stopped. */
  readonly comment: string | null;
  /** Units that were cancelled while the rest of the item went on. */
  readonly cancelledUnits: number;
  readonly fulfillments: readonly Fulfillment[];
  readonly fileChecks: readonly FileCheck[];
}

/** The snapshot of an order from which its last notification was made. It has what a comparison needs. */
export interface NotifiedSnapshot {
  readonly status: string;
  readonly minDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
  /** Number of cancel requests that partners refused. */
  readonly refusedCancels: number;
  readonly items: Readonly<Record<string, NotifiedItem>>;
}

interface NotifiedItem extends Pick<ItemView, 'status' | 'cancelledUnits'> {
  readonly trackingCodes: readonly string[];
}

export function snapshotOf(view: OrderView): NotifiedSnapshot {
  return {
    status: view.fulfillmentStatus,
    minDeliveryDate: view.minDeliveryDate,
    maxDeliveryDate: view.maxDeliveryDate,
    refusedCancels: view.refusedCancels.length,
    items: Object.fromEntries(
      view.items.map(({ id, status, cancelledUnits, fulfillments }) => [
        id,
        { status, cancelledUnits, trackingCodes: trackingCodes(fulfillments) },
      ]),
    ),
  };
}

const trackingCodes = (fulfillments: readonly Fulfillment[]) =>
  fulfillments.flatMap(({ trackingCode }) => (trackingCode === null ? [] : [trackingCode]));

const isChanged = ({ id, status }: ItemView, notified: NotifiedSnapshot | null) =>
  status !== (notified?.items[id]?.status ?? 'created');

/** Returns the items, those with a new status first: a long message names the first ones only. */
const changedFirst = ({ items }: OrderView, notified: NotifiedSnapshot | null) =>
  items.toSorted((a, b) => Number(isChanged(b, notified)) - Number(isChanged(a, notified)));

/** A status under both of its names. */
const statusFields = (status: string) => ({ status, fulfillmentStatus: status });

/**
 * Returns one notification for each difference between an order and its last snapshot. Without a snapshot, the order is
 * compared with status `created`, which the response to the submission has already reported.
 */
export function changesOf(view: OrderView, notified: NotifiedSnapshot | null): NotificationPayload[] {
  const { order, fulfillmentStatus, metadata, refusalReasonCode } = view;
  const notifications: NotificationPayload[] = [];
  if (fulfillmentStatus !== (notified?.status ?? 'created')) {
    notifications.push({
      event: 'order_status_updated',
      payload: {
        ...order,
        ...statusFields(fulfillmentStatus),
        comment: view.refusalReason,
        refusalReasonCode,
        metadata,
        items: changedFirst(view, notified).map(({ itemReferenceId, status, fulfillments, fileChecks, metadata }) => ({
          itemReferenceId,
          ...statusFields(status),
          fulfillments,
          fileChecks,
          metadata,
        })),
      },
    });
  }
  for (const item of view.items) {
    const before = notified?.items[item.id];
    const { itemReferenceId, status, comment } = item;
    const common = { ...order, itemReferenceId, metadata: item.metadata, orderMetadata: metadata };
    const {
      fulfillmentCountry = null,
      fulfillmentStateProvince = null,
      fulfillmentFacilityId = null,
    } = item.fulfillments[0] ?? {};
    if (isChanged(item, notified)) {
      notifications.push({
        event: 'order_item_status_updated',
        payload: {
          ...common,
          fulfillmentCountry,
          fulfillmentStateProvince,
          fulfillmentFacilityId,
          ...statusFields(status),
          comment,
          refusalReasonCode,
        },
      });
    }
    const quantity = item.cancelledUnits - (before?.cancelledUnits ?? 0);
    if (quantity > 0) {
      notifications.push({
        event: 'order_item_units_cancelled',
        payload: { ...common, ...statusFields(status), quantity, cancelledQuantity: item.cancelledUnits },
      });
    }
    for (const fulfillment of item.fulfillments) {
      const { trackingCode } = fulfillment;
      if (trackingCode === null || before?.trackingCodes.includes(trackingCode)) continue;
      notifications.push({
        event: 'order_item_tracking_code_updated',
        payload: { ...common, ...fulfillment, trackingCode },
      });
    }
  }
  const { minDeliveryDate, maxDeliveryDate } = view;
  const isNewEstimate =
    minDeliveryDate !== (notified?.minDeliveryDate ?? null) || maxDeliveryDate !== (notified?.maxDeliveryDate ?? null);
  if (isNewEstimate && minDeliveryDate !== null) {
    notifications.push({
      event: 'order_delivery_estimate_updated',
      payload: { ...order, minDeliveryDate, maxDeliveryDate, metadata },
    });
  }
  for (const itemIds of view.refusedCancels.slice(notified?.refusedCancels ?? 0)) {
    const items = view.items
      .filter(({ id }) => itemIds.includes(id))
      .map(({ itemReferenceId, status, metadata }) => ({ itemReferenceId, ...statusFields(status), metadata }));
    notifications.push({
      event: 'order_cancel_refused',
      payload: { ...order, ...statusFields(fulfillmentStatus), metadata, items },
    });
  }
  return notifications;
}
