import type { Config } from '../../platform/config';

/** The settings that every order run starts with, beside its order. */
export interface RunSettings {
  /** Time a partner has to send `received`, before the order needs attention. */
  readonly receivedDeadlineMs: number;
  /** Time during which transient failures to fetch a print file are retried. */
  readonly fileRetryWindowMs: number;
  /** Time after shipping at which a run ends when no carrier follows its parcels. */
  readonly untrackedEndMs: number;
  /** Time that a partner has to stop units that another partner is to make. */
  readonly stopDeadlineMs: number;
}

export function runSettingsOf(
  config: Pick<Config, 'RECEIVED_DEADLINE' | 'FILE_RETRY_WINDOW' | 'UNTRACKED_ORDER_END' | 'STOP_DEADLINE'>,
): RunSettings {
  return {
    receivedDeadlineMs: config.RECEIVED_DEADLINE,
    fileRetryWindowMs: config.FILE_RETRY_WINDOW,
    untrackedEndMs: config.UNTRACKED_ORDER_END,
    stopDeadlineMs: config.STOP_DEADLINE,
  };
}
