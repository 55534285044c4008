import { Anchor, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { change } from '../../api/changes';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { ClientLink } from '../../components/accounts/account-links';
import { DialogButton } from '../../components/forms/dialog-button';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { PagedTable } from '../../components/lists/paged-table';
import { moneyOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';

type Statement = ApiResponse<'listStatements'>['statements'][number];

const t = texts.receipts;
const names = t.statementColumns;
const FORMATS = { pdf: 'PDF', csv: 'CSV', ubl: 'UBL', cii: 'CII' } as const;

const COLUMNS: readonly Column<Statement>[] = [
  { name: names.number, cell: ({ number }) => `S${number}` },
  { name: t.lineColumns.client, cell: ({ clientId, clientName }) => <ClientLink id={clientId} name={clientName} /> },
  { name: names.kind, cell: ({ kind }) => t.kinds[kind] },
  { name: names.issued, cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  { name: names.due, cell: ({ due }) => due },
  ...(['net', 'tax', 'gross'] as const).map((name) => ({
    name: t.sumColumns[name],
    numeric: true,
    cell: (row: Statement) => moneyOf(row[name], row.currency),
  })),
  { name: names.files, cell: (statement) => <Files statement={statement} /> },
];

/** The files of a statement. What an XML lacks stands in its place. */
function Files({ statement: { number, notUbl, notCii } }: { readonly statement: Statement }) {
  const lacking = { pdf: [], csv: [], ubl: notUbl, cii: notCii };
  const formats = Object.keys(FORMATS) as (keyof typeof FORMATS)[];
  return (
    <>
      <Group gap="xs">
        {formats
          .filter((format) => lacking[format].length === 0)
          .map((format) => (
            <Anchor
              size="sm"
              key={format}
              href={`/v1/statements/S${number}?format=${format}`}
              download
              aria-label={t.file(FORMATS[format], number)}
            >
              {FORMATS[format]}
            </Anchor>
          ))}
      </Group>
      {[...new Set([...notUbl, ...notCii])].map((text) => (
        <Text key={text} size="xs" c="dimmed">
          {text}
        </Text>
      ))}
    </>
  );
}

/** The statements of a month, and the button that issues them. */
export function Statements(filter: { readonly month: string; readonly clientId: string | undefined }) {
  const mayIssue = useMay('operator');
  const query = useInfiniteQuery(readPages('listStatements', { query: { ...filter, limit: 25 } }));
  return (
    <Section
      title={t.statements}
      actions={
        mayIssue ? (
          <DialogButton
            name={t.issue.name}
            explanation={t.issue.explanation(filter.month)}
            button={t.issue.button}
            changeOf={() => change('issueStatements', { body: filter })}
          />
        ) : null
      }
    >
      <PagedTable
        label={t.statements}
        query={query}
        rowsOf={({ statements }) => statements}
        columns={COLUMNS}
        keyOf={({ number }) => number}
        empty={{ title: t.noStatement, text: t.noStatementText, asLine: true }}
        lines={2}
      />
    </Section>
  );
}
