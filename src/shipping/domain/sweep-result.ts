/** What a tracking sweep has done. */
export interface SweepResult {
  readonly checked: number;
  readonly recorded: number;
  /** Packages without a usable response, or whose events could not be recorded. */
  readonly failed: number;
  /** Uids of carriers that are unavailable. */
  readonly unavailable: readonly string[];
}

export const NOTHING_SWEPT: SweepResult = { checked: 0, recorded: 0, failed: 0, unavailable: [] };

/** Returns the sum of two sweeps. */
export const addSweeps = (a: SweepResult, b: SweepResult): SweepResult => ({
  checked: a.checked + b.checked,
  recorded: a.recorded + b.recorded,
  failed: a.failed + b.failed,
  unavailable: [...new Set([...a.unavailable, ...b.unavailable])],
});
