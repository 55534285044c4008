/** A label that is damaged or lost. */
export interface LabelToReplace {
  readonly shipmentId: string;
  /** Index of its package. */
  readonly position: number;
}

/** Result of the workflow that replaces a label. `refused`: the label stays as it is. */
export type ReplacedLabel =
  | { readonly outcome: 'replaced' }
  | { readonly outcome: 'refused'; readonly message: string };
