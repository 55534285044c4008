import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core';
import * as texts from '../../texts';
import styles from './secrets.module.css';

/** Secrets that the API shows only once, each with a button that copies it. */
export function Secrets({ secrets }: { readonly secrets: readonly (readonly [name: string, value: string])[] }) {
  return (
    <Stack gap="sm">
      <Alert
        title={texts.keys.shownOnce}
        classNames={{ root: styles.root!, title: styles.text!, message: styles.text! }}
      >
        {texts.keys.shownOnceText}
      </Alert>
      {secrets.map(([name, value]) => (
        <Group key={name} gap="sm" wrap="nowrap" justify="space-between">
          <Stack gap={2} miw={0}>
            <span>{name}</span>
            <Code aria-label={name} className={styles.secret!}>
              {value}
            </Code>
          </Stack>
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" onClick={copy} aria-label={texts.keys.copy(name)}>
                {copied ? texts.common.copied : texts.keys.copyButton}
              </Button>
            )}
          </CopyButton>
        </Group>
      ))}
    </Stack>
  );
}
