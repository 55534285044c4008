import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { ApiError, type FieldFault, textOfFault } from '../../api/api-error';
import * as texts from '../../texts';
import styles from './error-alert.module.css';

/** An error with its request id, by which the log of the API is searched. */
export function ErrorAlert(props: {
  readonly error: unknown;
  readonly title?: string;
  /** The faults of fields that the error names here: all of them, unless others stand at their fields. */
  readonly faults?: readonly FieldFault[];
  readonly onRetry?: () => void;
}) {
  const { error, title = texts.common.error.title, onRetry } = props;
  const { summary, requestId, ...said } =
    error instanceof ApiError
      ? error
      : { summary: error instanceof Error ? error.message : String(error), requestId: null, faults: [] };
  const { faults = said.faults } = props;
  return (
    <Alert role="alert" title={title} classNames={{ root: styles.root!, title: styles.text!, message: styles.text! }}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{summary}</Text>
        {faults.map((fault) => (
          <Text key={fault.reference} size="sm">
            {textOfFault(fault)}
          </Text>
        ))}
        {requestId === null ? null : (
          <Group gap={6}>
            <Text size="xs">{texts.common.error.requestId}</Text>
            <Code className={styles.code!}>{requestId}</Code>
          </Group>
        )}
        {onRetry === undefined ? null : (
          <Button size="xs" variant="default" onClick={onRetry}>
            {texts.common.error.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
