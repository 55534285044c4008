import { Group, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Answer, call } from '../../api/call';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import { Act } from '../../components/act';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { textOf } from '../../components/form-fields';
import { Link } from '../../components/link';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Secrets } from '../../components/secret';
import { Section } from '../../components/section';
import { Age, Time } from '../../components/time';
import { texts } from '../../texts';
import { AuditLog } from './audit-log';
import { RoleField, roleOf } from './role-field';

type Operator = Answer<'listOperators'>['operators'][number];

const t = texts.team;
const { columns: names } = t.operators;

const COLUMNS: readonly Column<Operator>[] = [
  {
    name: names.name,
    cell: ({ id, name }) => (
      <Link to="/team/$operatorId" params={{ operatorId: id }}>
        {name}
      </Link>
    ),
  },
  { name: names.role, cell: ({ role }) => texts.common.roles[role] },
  {
    name: names.state,
    cell: ({ revokedAt }) =>
      revokedAt === null ? (
        <Badge tone="success">{t.operators.active}</Badge>
      ) : (
        <Badge tone="danger">{t.operators.revoked}</Badge>
      ),
  },
  {
    name: names.used,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.operators.never : <Age at={lastUsedAt} />),
  },
  { name: names.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export function TeamScreen() {
  const query = useQuery(read('listOperators', {}));
  const mayAdd = useMay('admin');
  return (
    <Screen title={t.title} intro={t.intro}>
      <Section
        title={t.operators.title}
        actions={
          <Group gap="sm">
            <ExportCsv operation="listOperators" input={{ query: { format: 'csv' } }} />
            {mayAdd ? <AddOperator /> : null}
          </Group>
        }
      >
        <Loaded query={query} lines={3}>
          {({ operators }) =>
            operators.length === 0 ? (
              <Empty title={t.operators.empty} text={t.operators.emptyText} />
            ) : (
              <DataTable
                label={t.operators.title}
                columns={COLUMNS}
                rows={operators}
                keyOf={({ id }) => id}
              />
            )
          }
        </Loaded>
      </Section>
      <AuditLog />
    </Screen>
  );
}

function AddOperator() {
  return (
    <Act
      name={t.add.name}
      explanation={t.add.explanation}
      button={t.add.button}
      fields={
        <>
          <TextInput name="name" label={t.add.label} required maxLength={100} data-autofocus />
          <RoleField chosen="viewer" />
          <TextInput name="keyName" label={t.add.keyName} maxLength={100} />
        </>
      }
      run={({ form, idempotencyKey }) => {
        const body = {
          name: textOf(form, 'name') ?? '',
          role: roleOf(form),
          keyName: textOf(form, 'keyName'),
        };
        return call('createOperator', { body }, { idempotencyKey });
      }}
      result={({ apiKey }) => <Secrets secrets={[[texts.keys.key, apiKey]]} />}
    />
  );
}
