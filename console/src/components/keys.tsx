import { NativeSelect, TextInput } from '@mantine/core';
import type { Answer } from '../api/call';
import { useMay } from '../api/session';
import { texts } from '../texts';
import { Act } from './act';
import { Badge } from './badge';
import { type Column, DataTable } from './data-table';
import { textOf } from './form-fields';
import { Empty, Loaded } from './loaded';
import { Secrets } from './secret';
import { Section } from './section';
import { Age, Time } from './time';

export type Key = Answer<'listPartnerKeys'>['keys'][number];
type IssuedKey = Answer<'rotatePartnerKey'>;

const t = texts.keys;
const DAY_SECONDS = 86_400;

interface KeysProps {
  readonly query: {
    readonly data: { readonly keys: readonly Key[] } | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly issue: (
    body: { readonly name: string | null; readonly overlapSeconds: number },
    idempotencyKey: string,
  ) => Promise<IssuedKey>;
  readonly revoke: (keyId: string, idempotencyKey: string) => Promise<unknown>;
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
  if (mayChange) {
    columns.push({
      name: t.columns.act,
      cell: (key) =>
        works(key) ? (
          <Act
            name={t.revoke.name}
            label={t.revoke.label(key.name ?? key.hint)}
            explanation={t.revoke.explanation}
            button={t.revoke.button}
            size="compact-xs"
            run={({ idempotencyKey }) => props.revoke(key.id, idempotencyKey)}
          />
        ) : null,
    });
  }
  return (
    <Section title={t.title} actions={mayChange ? <AddKey {...props} /> : null}>
      <Loaded query={props.query} lines={2}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty title={t.empty} text={t.emptyText} />
          ) : (
            <DataTable label={t.title} columns={columns} rows={keys} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
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

function AddKey({ issue, overlapDays, withSecret = false }: KeysProps) {
  return (
    <Act
      name={t.add.name}
      explanation={t.add.explanation}
      button={t.add.button}
      fields={
        <>
          <TextInput name="name" label={t.add.label} maxLength={100} data-autofocus />
          <NativeSelect
            name="overlap"
            label={t.add.overlap}
            defaultValue={String(Math.max(...overlapDays))}
            data={overlapDays.map((days) => ({ value: String(days), label: t.add.days(days) }))}
          />
        </>
      }
      run={({ form, idempotencyKey }) =>
        issue(
          { name: textOf(form, 'name'), overlapSeconds: Number(form.get('overlap')) * DAY_SECONDS },
          idempotencyKey,
        )
      }
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
