/** Faults that the control API sets on file hosts and carriers. They end when they are lifted or the sandbox stops. */
export interface SetFaults {
  /** HTTP status with which the host responds to requests of a good file, by the name of the file. */
  readonly files: Map<string, number>;
  /** Message with which a carrier refuses to sell labels, by its uid. */
  readonly labels: Map<string, string>;
}

export const noFaults = (): SetFaults => ({ files: new Map(), labels: new Map() });
