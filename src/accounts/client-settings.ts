/** What an operator keeps of a client besides its keys; a retrieved order shows it (interface "Order (as retrieved)"). */
export interface ClientSettings {
  /** Whom receipts are made out to. */
  readonly billingEntity?: Readonly<Record<string, unknown>> | null | undefined;
  /** Where parcels that come back are to go. */
  readonly returnAddress?: Readonly<Record<string, unknown>> | null | undefined;
  /** VAT of parcels into the EU is paid under this number of the import one-stop shop. */
  readonly iossNumber?: string | null | undefined;
}
