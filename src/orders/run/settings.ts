import type { Config } from '../../platform/config';
import type { DeadlineSettings } from '../domain/lifecycle/run-state';

/** The settings that every order run starts with, beside its order. */
export interface RunSettings extends DeadlineSettings {
  readonly fileRetryWindowMs: number;
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
