import type { Carriers } from '../../carriers/carriers';
import type { Logger } from '../../platform/logging/logging';
import type { Sql } from '../../platform/postgres';
import type { SweepResult } from '../domain/sweep-result';

export interface SweepDeps {
  readonly sql: Sql;
  readonly carriers: Carriers;
  readonly log: Logger;
}

/** When a step of a sweep ends, and where it reports its progress. */
export interface SweepBounds {
  /** Packages. */
  readonly limit: number;
  /** Epoch milliseconds. No batch begins later. */
  readonly deadline: number;
  readonly report: (soFar: SweepResult) => void;
}
