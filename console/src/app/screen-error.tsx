import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorAlert } from '../components/layout/error-alert';
import { Screen } from '../components/layout/screen';
import { texts } from '../texts';

/** Shown instead of a screen that failed. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  return (
    <Screen title={texts.common.error.title}>
      <ErrorAlert error={error} onRetry={reset} />
    </Screen>
  );
}
