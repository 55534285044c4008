import type { ObjectStore } from '../platform/objects/object-store';
import type { Sql } from '../platform/postgres';
import type { OrderContent } from './domain/order-content';
import type { Reason } from './domain/reasons';
import type { SftpDeps } from './sftp';

/** An order as it arrived at a channel. */
export interface ArrivedOrder {
  /** The channel's own id of the order. */
  readonly externalId: string;
  /** Grows with each change of the order. 0: the channel has no revisions. */
  readonly revision: number;
  /** The same for the same content. */
  readonly contentSha256: Buffer;
  /** The order as it came, as JSON. */
  readonly raw: unknown;
  readonly fileId: string | null;
}

/** Parcels of an order that have left. */
export interface ChannelShipment {
  readonly externalId: string;
  readonly parcels: readonly {
    readonly trackingCode: string;
    readonly trackingUrl: string | null;
    readonly shipmentMethodUid: string;
  }[];
}

/** Why an order of the channel waits for its client, or a file (`externalId` null) is refused. */
export interface ChannelProblem {
  readonly externalId: string | null;
  readonly fileId: string | null;
  readonly reasons: readonly Reason[];
}

/**
 * The connection to one channel. Every method can be repeated after a process has died in it. A method throws for a
 * transient failure only. The suite in test/src/channels/adapters.test.ts holds for every adapter.
 */
export interface ChannelAdapter {
  /** Yields the orders that were not acknowledged, in batches. The caller stores a batch before it asks for the next. */
  fetchNew(): AsyncIterable<readonly ArrivedOrder[]>;
  /** Tells the channel that every order that `fetchNew` has yielded is stored. */
  acknowledge(): Promise<void>;
  /** Reports parcels that have left. */
  reportShipped(shipments: readonly ChannelShipment[]): Promise<void>;
  /** Reports orders that wait in the inbox, and files that were refused. */
  reportProblem(problems: readonly ChannelProblem[]): Promise<void>;
  /** Returns what an order says, of the `raw` that the adapter has yielded. Pure. */
  read(raw: unknown): OrderContent;
  /** Returns reasons with what the channel has in their fields. Pure. */
  locate(raw: unknown, reasons: readonly Reason[]): Reason[];
}

export interface AdapterDeps extends SftpDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}
