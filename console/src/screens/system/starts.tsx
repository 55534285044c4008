import { Alert, Group, Text } from '@mantine/core';
import { change } from '../../api/changes';
import { useMay } from '../../api/session';
import { DialogButton } from '../../components/forms/dialog-button';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { System } from './types';

const t = texts.system.starts;

/** Why no workflow starts, or which orders do not. An admin confirms the servers. Nothing while every order starts. */
export function Starts({ starts: { hold, restartsFrom } }: Pick<System, 'starts'>) {
  const mayConfirm = useMay('admin');
  if (hold === null && restartsFrom === null) return null;
  return (
    <Alert color="red" title={hold === null ? t.someHeld : t.held}>
      <Group justify="space-between">
        <Text size="sm">
          {hold === null ? t.someHeldText : hold.description} <Time at={hold?.since ?? restartsFrom!} />
        </Text>
        {mayConfirm && (
          <DialogButton
            name={t.confirm.name}
            explanation={t.confirm.explanation}
            button={t.confirm.name}
            withReason
            changeOf={({ reason }) => change('confirmServers', { body: { reason } })}
          />
        )}
      </Group>
    </Alert>
  );
}
