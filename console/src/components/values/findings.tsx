import { Text } from '@mantine/core';
import * as texts from '../../texts';
import { Badge } from './badge';

interface Finding {
  readonly severity: 'error' | 'warning' | 'ok';
  readonly message: string;
  /** Field that it is about. */
  readonly field?: string;
  readonly suggestion?: string | null;
}

const TONES = { error: 'danger', warning: 'warning', ok: 'neutral' } as const;
const t = texts.order.items;

/** What was found in a file or an address, and whether an operator has accepted it. */
export function Findings({ checks, accepted }: { readonly checks: readonly Finding[]; readonly accepted: boolean }) {
  if (checks.length === 0) return null;
  return (
    <>
      {checks.map(({ severity, message, field, suggestion }) => (
        <Text key={`${field} ${message}`} size="xs">
          <Badge tone={TONES[severity]}>{t.severities[severity]}</Badge> {message}
          {suggestion ? ` ${t.suggestion(suggestion)}` : ''}
        </Text>
      ))}
      {accepted ? <Text size="xs">{t.accepted}</Text> : null}
    </>
  );
}
