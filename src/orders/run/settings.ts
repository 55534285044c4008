import type { Config } from '../../platform/config';

/** The settings that every order run starts with, beside its order. */
export interface RunSettings {
  /** Time a partner has to send `received`, before the order needs attention. */
  readonly receivedDeadlineMs: number;
  /** Time during which transient failures to fetch a print file are retried. */
  readonly fileRetryWindowMs: number;
  /** Time after shipping at which a run ends when no carrier follows its parcels. */
  readonly untrackedEndMs: number;
}

export function runSettingsOf(
  config: Pick<Config, 'RECEIVED_DEADLINE' | 'FILE_RETRY_WINDOW' | 'UNTRACKED_ORDER_END'>,
): RunSettings {
  return {
    receivedDeadlineMs: config.RECEIVED_DEADLINE,
    fileRetryWindowMs: config.FILE_RETRY_WINDOW,
    untrackedEndMs: config.UNTRACKED_ORDER_END,
  };
}
