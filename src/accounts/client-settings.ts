/** Settings of a client. Operators set them with the connector; retrieved orders show most of them. */
export interface ClientSettings {
  /** Recipient of receipts. */
  readonly billingEntity?: Readonly<Record<string, unknown>> | null | undefined;
  /** Address that undeliverable parcels return to. */
  readonly returnAddress?: Readonly<Record<string, unknown>> | null | undefined;
  /** Number of the EU import one-stop shop under which VAT of parcels into the EU is paid. */
  readonly iossNumber?: string | null | undefined;
}
