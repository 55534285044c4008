import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { Secrets } from '../../components/accounts/secrets';
import { DialogButton } from '../../components/forms/dialog-button';
import { TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import { Screen } from '../../components/layout/screen';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Age, Time } from '../../components/values/time';
import * as texts from '../../texts';
import { AuditLog } from './audit-log';
import { RoleField, roleOf } from './role-field';

type Operator = ApiResponse<'listOperators'>['operators'][number];

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
        <PagedTable
          label={t.operators.title}
          query={onePage(query)}
          lines={3}
          rowsOf={({ operators }) => operators}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={{ title: t.operators.empty, text: t.operators.emptyText }}
        />
      </Section>
      <AuditLog />
    </Screen>
  );
}

function AddOperator() {
  return (
    <DialogButton
      name={t.add.name}
      explanation={t.add.explanation}
      button={t.add.button}
      fields={
        <>
          <TextField name="name" label={t.add.label} required maxLength={100} data-autofocus />
          <RoleField chosen="viewer" />
          <TextField name="keyName" label={t.add.keyName} maxLength={100} />
        </>
      }
      changeOf={({ form }) =>
        change('createOperator', {
          body: {
            name: textOf(form, 'name') ?? '',
            role: roleOf(form),
            keyName: textOf(form, 'keyName'),
          },
        })
      }
      keepsResult
      result={({ apiKey }) => <Secrets secrets={[[texts.keys.key, apiKey]]} />}
    />
  );
}
