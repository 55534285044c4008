import type { Carriers } from '../../carriers/carriers';
import type { Logger } from '../../platform/logging';
import type { Sql } from '../../platform/postgres';

export interface SweepDeps {
  readonly sql: Sql;
  readonly carriers: Carriers;
  readonly log: Logger;
}

export interface SweepResult {
  readonly checked: number;
  readonly recorded: number;
  /** Packages without a usable response, or whose events could not be recorded. */
  readonly failed: number;
  /** Uids of adapters that are unavailable. */
  readonly away: readonly string[];
}

export const NOTHING_SWEPT: SweepResult = { checked: 0, recorded: 0, failed: 0, away: [] };

/** Returns the sum of sweeps. */
export function addSweeps(...results: readonly SweepResult[]): SweepResult {
  return results.reduce(
    (sum, each) => ({
      checked: sum.checked + each.checked,
      recorded: sum.recorded + each.recorded,
      failed: sum.failed + each.failed,
      away: [...new Set([...sum.away, ...each.away])],
    }),
    NOTHING_SWEPT,
  );
}

/** When a sweep of one carrier ends, and where it reports its progress. */
export interface SweepBounds {
  /** Packages. */
  readonly limit: number;
  /** Epoch milliseconds. No batch begins later. */
  readonly deadline: number;
  readonly report: (soFar: SweepResult) => void;
}
