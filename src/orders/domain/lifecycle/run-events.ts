import type { AttentionReason, Transit } from './run-state';

/** Everything that can happen to an order run, as plain JSON. */
export type RunEvent =
  | { readonly type: 'fetching_files' }
  | {
      readonly type: 'refused';
      readonly code: string;
      readonly reason: string;
      readonly details: object | null;
    }
  /** Preparation cannot go on without an operator. */
  | { readonly type: 'parked'; readonly reason: AttentionReason; readonly message: string }
  | { readonly type: 'prepared'; readonly printOrders: readonly PlannedPrintOrder[] }
  | {
      readonly type: 'delivery';
      readonly printOrderId: string;
      readonly outcome: 'accepted' | 'refused' | 'undeliverable';
      readonly message: string;
    }
  | PostbackEvent
  | {
      readonly type: 'dispatched';
      readonly printOrderId: string;
      readonly shipmentId: string;
      readonly revision: number;
    }
  | { readonly type: 'shipping_changed'; readonly revision: number }
  /** The carrier does not take a label back. */
  | {
      readonly type: 'void_failed';
      readonly printOrderId: string;
      readonly shipmentId: string;
      readonly message: string;
    }
  | {
      readonly type: 'tracking';
      readonly eventId: string;
      readonly printOrderId: string;
      readonly transit: Transit;
      /** Whose label was scanned; absent in signals of older versions. */
      readonly shipmentId?: string;
    }
  | { readonly type: 'cancel_requested'; readonly by: string; readonly reason: string }
  | {
      readonly type: 'partner_cancel';
      readonly printOrderId: string;
      /** What it was asked to let go; absent: everything. */
      readonly jobIds?: readonly string[];
      readonly outcome: 'confirmed' | 'refused';
      readonly message: string;
    }
  | { readonly type: 'deadline'; readonly reason: AttentionReason; readonly printOrderId: string }
  | { readonly type: 'hold'; readonly by: string; readonly reason: string }
  | { readonly type: 'release'; readonly by: string; readonly reason: string }
  | {
      readonly type: 'retry';
      readonly by: string;
      readonly reason: string;
      readonly itemIds: readonly string[];
    }
  | {
      readonly type: 'replaced';
      readonly action: 'reroute' | 'reproduce';
      readonly by: string;
      readonly reason: string;
      readonly printOrder: PlannedPrintOrder;
      readonly replaces: readonly { readonly jobId: string; readonly quantity: number }[];
    }
  | {
      readonly type: 'cancel_items';
      readonly by: string;
      readonly reason: string;
      readonly itemIds: readonly string[];
      /** Whether a partner that has it is to agree first; absent in runs that began under an older version. */
      readonly asksPartner?: boolean;
    };

/** A print order as planned: rows exist, nothing was sent. */
export interface PlannedPrintOrder {
  readonly id: string;
  readonly partnerId: string;
  /** The partner's name in decisions, lists and the Temporal UI. */
  readonly partnerUid: string;
  readonly dispatchDate: string;
  readonly reproducesId: string | null;
  readonly jobs: readonly { readonly id: string; readonly itemId: string; readonly quantity: number }[];
}

export const POSTBACK_STATUSES = ['received', 'error', 'printed', 'shipped', 'cancelled'] as const;
export type PostbackStatus = (typeof POSTBACK_STATUSES)[number];

/** A partner's status postback (interface "Events"), its ids checked against the print order. */
export interface PostbackEvent {
  readonly type: 'postback';
  /** Equal for equal postbacks. */
  readonly eventId: string;
  readonly printOrderId: string;
  readonly status: PostbackStatus;
  /** The partner's time, ISO 8601 in UTC. */
  readonly at: string;
  readonly message: string | null;
  /** The one job it is about; null: the whole print order. */
  readonly jobId: string | null;
  /** With `cancelled`: which jobs, and how many units (null: all); null: every job. */
  readonly items: readonly { readonly jobId: string; readonly quantity: number | null }[] | null;
  readonly trackingCode: string | null;
  readonly trackingLink: string | null;
}

/** What the run has to do after an event. The first group is written to Postgres, the second leaves the house. */
export type RunEffect =
  | {
      readonly type: 'log';
      readonly event: string;
      readonly itemId?: string;
      readonly printOrderId?: string;
      readonly data?: object;
    }
  /** Units: as many as were made, which a partner's partial cancellation makes fewer than were planned. */
  | {
      readonly type: 'consume_stock';
      readonly jobs: readonly { readonly id: string; readonly units: number }[];
    }
  | { readonly type: 'release_stock'; readonly jobIds: readonly string[] }
  | {
      readonly type: 'refund';
      readonly reason: string;
      /** Whose units they are: a job is refunded once. */
      readonly jobIds: readonly string[];
      readonly items: readonly { readonly itemId: string; readonly quantity: number }[];
    }
  | {
      readonly type: 'tracking_code';
      readonly printOrderId: string;
      readonly trackingCode: string | null;
      readonly trackingLink: string | null;
    }
  | { readonly type: 'deliver_print_order'; readonly printOrderId: string }
  | {
      readonly type: 'request_partner_cancel';
      readonly printOrderId: string;
      readonly jobIds: readonly string[];
      readonly reason: string;
    }
  | { readonly type: 'void_shipment'; readonly printOrderId: string; readonly shipmentId: string };
