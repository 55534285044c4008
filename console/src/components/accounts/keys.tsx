import { Group } from '@mantine/core';
import type { Change } from '../../api/changes';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import * as texts from '../../texts';
import { DialogButton } from '../forms/dialog-button';
import { TextField } from '../forms/field-faults';
import { textOf } from '../forms/form-values';
import { Select } from '../forms/select';
import type { QueryResult } from '../layout/query-content';
import { Section } from '../layout/section';
import type { Column } from '../lists/data-table';
import { onePage, PagedTable } from '../lists/paged-table';
import { Badge } from '../values/badge';
import { Age, Time } from '../values/time';
import { KeyUses, type KeyUsesSource } from './key-uses';
import { Secrets } from './secrets';

export type Key = ApiResponse<'listPartnerKeys'>['keys'][number];
type IssuedKey = ApiResponse<'rotatePartnerKey'>;

const t = texts.keys;
const DAY_SECONDS = 86_400;

interface KeysProps extends KeyUsesSource {
  readonly query: QueryResult<{ readonly keys: readonly Key[] }>;
  readonly add: (body: { readonly name: string | null; readonly overlapSeconds: number }) => Change<IssuedKey>;
  readonly revoke: (keyId: string) => Change<unknown>;
  /** Days for which existing keys may keep working beside a new one. */
  readonly overlapDays: readonly number[];
  /** True for clients, which send their key with its secret. */
  readonly withSecret?: boolean;
}

/** The keys of an account. Admins add and revoke them. */
export function Keys(props: KeysProps) {
  const mayChange = useMay('admin');
  const columns: Column<Key>[] = [
    { name: t.columns.name, cell: ({ name }) => name ?? texts.common.none },
    { name: t.columns.key, cell: ({ hint }) => hint },
    { name: t.columns.state, cell: (key) => <State of={key} /> },
    { name: t.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: t.columns.used,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.neverUsed : <Age at={lastUsedAt} />),
    },
  ];
  columns.push({
    name: texts.common.actions,
    cell: (key) => (
      <Group gap={6} wrap="nowrap">
        <KeyUses {...props} keyId={key.id} name={key.name ?? key.hint} />
        {mayChange && works(key) ? (
          <DialogButton
            name={t.revoke.name}
            label={t.revoke.label(key.name ?? key.hint)}
            explanation={t.revoke.explanation}
            button={t.revoke.button}
            destructive
            size="compact-xs"
            changeOf={() => props.revoke(key.id)}
          />
        ) : null}
      </Group>
    ),
  });
  return (
    <Section title={t.title} actions={mayChange ? <AddKey {...props} /> : null}>
      <PagedTable
        label={t.title}
        query={onePage(props.query)}
        lines={2}
        rowsOf={({ keys }) => keys}
        columns={columns}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Section>
  );
}

const works = ({ revokedAt, expiresAt }: Key): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now());

function State({ of: key }: { readonly of: Key }) {
  if (key.revokedAt !== null) return <Badge tone="danger">{t.states.revoked}</Badge>;
  if (!works(key)) return <Badge tone="neutral">{t.states.expired}</Badge>;
  if (key.expiresAt === null) return <Badge tone="success">{t.states.works}</Badge>;
  return (
    <Badge tone="warning">
      {t.states.expires} <Age at={key.expiresAt} />
    </Badge>
  );
}

function AddKey({ add, overlapDays, withSecret = false }: KeysProps) {
  return (
    <DialogButton
      name={t.add.name}
      explanation={t.add.explanation}
      button={t.add.button}
      fields={
        <>
          <TextField name="name" label={t.add.label} maxLength={100} data-autofocus />
          <Select
            name="overlap"
            label={t.add.overlap}
            value={String(Math.max(...overlapDays))}
            options={overlapDays.map((days) => ({ value: String(days), label: t.add.days(days) }))}
          />
        </>
      }
      changeOf={({ form }) =>
        add({ name: textOf(form, 'name'), overlapSeconds: Number(form.get('overlap')) * DAY_SECONDS })
      }
      keepsResult
      result={({ apiKey, apiSecret }) => (
        <Secrets
          secrets={
            withSecret
              ? [
                  [t.key, apiKey],
                  [t.secret, apiSecret],
                ]
              : [[t.key, apiKey]]
          }
        />
      )}
    />
  );
}
