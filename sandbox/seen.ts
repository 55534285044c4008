import type { PrintOrderKind, PrintOrderRecord } from './partner-record';

/** What a partner got and sent: what fault runs and tests count. */
export interface SeenPrintOrder {
  readonly printOrderId: string;
  readonly kind: PrintOrderKind;
  readonly behaviour: string;
  readonly state: PrintOrderRecord['state'];
  readonly reason: string | null;
  readonly itemIds: readonly string[];
  /** Times the print order arrived, and how each arrival was answered. */
  readonly deliveries: number;
  readonly answers: readonly string[];
  /** More than one is a broken promise: a redelivery has the bytes and the webhook-id of the first. */
  readonly distinctContents: number;
  readonly distinctWebhookIds: number;
  readonly assetsFetched: number;
  readonly postbacks: readonly {
    readonly status: string;
    readonly orderItemId?: string;
    readonly answer: number;
  }[];
  readonly documents: readonly { readonly type: string; readonly sha256: string; readonly bytes: number }[];
  readonly labelsDownloaded: number;
  /** Labels of different bytes. */
  readonly distinctLabels: number;
  readonly trackingCodes: readonly string[];
  readonly cancelOrders: readonly { readonly itemIds: readonly string[]; readonly accepted: boolean }[];
}

export interface SeenPartner {
  readonly subscribed: boolean;
  readonly printOrders: readonly SeenPrintOrder[];
  readonly inventoryPolls: number;
  /** Requests refused for their signature, since the sandbox started. */
  readonly badSignatures: number;
  /** Print orders refused because the interface's fields were not right, since the sandbox started. */
  readonly malformed: readonly {
    readonly printOrderId: string | null;
    readonly problems: readonly string[];
  }[];
}

/** A print order's record as `seen` shows it. */
export function seenPrintOrder(record: PrintOrderRecord): SeenPrintOrder {
  const labels = record.documents.filter(({ type }) => type === 'label');
  return {
    printOrderId: record.id,
    kind: record.kind,
    behaviour: record.behaviour.name,
    state: record.state,
    reason: record.reason ?? null,
    itemIds: record.itemIds,
    deliveries: record.deliveries,
    answers: record.answers,
    distinctContents: record.contents.size,
    distinctWebhookIds: record.webhookIds.size,
    assetsFetched: record.assetsFetched,
    postbacks: record.postbacks,
    documents: record.documents,
    labelsDownloaded: labels.length,
    distinctLabels: new Set(labels.map(({ sha256 }) => sha256)).size,
    trackingCodes: [...record.trackingCodes],
    cancelOrders: record.cancelOrders,
  };
}
