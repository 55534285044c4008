/** What clients and operators request from an order run, as plain JSON. */

/** Who requested a change of an order, and why. */
export interface RequestedBy {
  readonly by: string;
  readonly reason: string;
  /** Id of the API's request. Absent for a bulk repair. The audit log finds the event of the change by it. */
  readonly requestId?: string;
}

/** Returns who requests a change, of a request that says more. */
export function requestedBy({ by, reason, requestId }: RequestedBy): RequestedBy {
  return { by, reason, ...(requestId === undefined ? {} : { requestId }) };
}

/** Units of an item. */
export interface ItemUnits {
  readonly itemId: string;
  readonly quantity: number;
}

/** Units of a print job that a new print order makes instead. */
export interface ReroutedUnits {
  readonly jobId: string;
  readonly quantity: number;
}

/**
 * An operator's decision about units whose partner does not agree to stop: they end all the same when the partner was asked
 * before, or takes no order updates.
 * @property withoutUpdates ids of the print orders of partners that take no order updates
 */
export interface UnitsForce {
  readonly withoutUpdates: readonly string[];
}

/** A print order that has shipped, as an operator learned from its partner. */
export interface MarkedShipment {
  readonly printOrderId: string;
  readonly trackingCode: string | null;
  readonly trackingLink: string | null;
}

/** The new dates of a print order. Days are YYYY-MM-DD. */
export interface MovedPromise {
  readonly printOrderId: string;
  readonly dispatchDate: string;
  /** End of the dispatch date in the partner's time zone, ISO 8601. */
  readonly dispatchDueAt: string;
  readonly minDeliveryDate: string;
  readonly maxDeliveryDate: string;
}

/** An operator's repair of an order. */
export type RepairRequest = RequestedBy &
  (
    | { readonly action: 'hold' | 'release' | 'accept_files' | 'accept_address' | 'dismiss' }
    | { readonly action: 'retry' | 'cancel' | 'refund'; readonly itemIds: readonly string[] }
    | ({ readonly action: 'mark_shipped' } & MarkedShipment)
    | { readonly action: 'move_promise'; readonly promises: readonly MovedPromise[] }
    | {
        readonly action: 'reroute' | 'reproduce';
        readonly itemId: string;
        /** Units. Null: all. */
        readonly quantity: number | null;
        /** Null: routing chooses. */
        readonly partnerId: string | null;
        /** True: the new print order is delivered at once, whatever the partner of the units does. */
        readonly force?: boolean;
        /** True: units that have shipped are lost, damaged or wrong. They are made again, and the lost jobs no longer count. */
        readonly claimed?: true;
      }
  );

export type RerouteRequest = Extract<RepairRequest, { action: 'reroute' | 'reproduce' }>;

/** Failure types with which a run refuses an update. The API maps them to its error codes. */
export const RUN_REFUSALS = {
  conflict: 'Conflict',
  notReady: 'NotReady',
  unavailable: 'Unavailable',
  carrier: 'CarrierRefused',
  invalid: 'Invalid',
} as const;
