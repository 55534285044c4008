import type { Config } from '../../platform/config';

/** The settings that every order run starts with, beside its order. */
export interface RunSettings {
  /** Time a partner has to send `received`, before the order needs attention. */
  readonly receivedDeadlineMs: number;
  /** Time during which transient failures to fetch a print file are retried. */
  readonly fileRetryWindowMs: number;
}

export function runSettingsOf(config: Pick<Config, 'RECEIVED_DEADLINE' | 'FILE_RETRY_WINDOW'>): RunSettings {
  return { receivedDeadlineMs: config.RECEIVED_DEADLINE, fileRetryWindowMs: config.FILE_RETRY_WINDOW };
}
