/** Address that undeliverable parcels return to (schema `ReturnAddress`). */
export type ReturnAddress = {
  readonly id?: string | undefined;
  readonly country: string;
  readonly companyName: string | null;
  readonly addressLine1: string;
  readonly addressLine2: string | null;
  readonly city: string;
  readonly postCode: string;
  readonly state: string | null;
  readonly email: string | null;
  readonly phone: string | null;
};

/** Settings of a client. Operators set them when they set the client up; retrieved orders show most of them. */
export interface ClientSettings {
  /** Name of the sales channel that the client connects: `channel` of its orders. */
  readonly channel?: string | null | undefined;
  /** Recipient of receipts. */
  readonly billingEntity?: Readonly<Record<string, unknown>> | null | undefined;
  /** Address that undeliverable parcels return to. It is the sender on print orders and labels. */
  readonly returnAddress?: ReturnAddress | null | undefined;
  /** Number of the EU import one-stop shop under which VAT of parcels into the EU is paid. */
  readonly iossNumber?: string | null | undefined;
  /** Packaging workflow of print orders whose packaging instructions name none. */
  readonly brandedPackaging?: string | null | undefined;
}
