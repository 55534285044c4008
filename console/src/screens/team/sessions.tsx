import { useQuery } from '@tanstack/react-query';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { DialogButton } from '../../components/forms/dialog-button';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Age, Time } from '../../components/values/time';
import * as texts from '../../texts';

type Session = ApiResponse<'listSessions'>['sessions'][number];

const t = texts.team.sessions;
const { columns: names } = t;

const COLUMNS: readonly Column<Session>[] = [
  { name: names.method, cell: ({ method }) => t.methods[method] },
  { name: names.address, cell: ({ address }) => address ?? texts.common.none },
  { name: names.browser, cell: ({ userAgent }) => userAgent ?? texts.common.none },
  { name: names.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: names.used, cell: ({ lastUsedAt }) => <Age at={lastUsedAt} /> },
  { name: names.ends, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    name: texts.common.actions,
    cell: ({ id, isCurrent, address }) =>
      isCurrent ? (
        t.current
      ) : (
        <DialogButton
          name={t.end.name}
          label={t.end.label(address ?? texts.common.none)}
          explanation={t.end.explanation}
          button={t.end.button}
          size="compact-xs"
          changeOf={() => change('endSession', { params: { sessionId: id } })}
        />
      ),
  },
];

/** The sessions of an operator. Operators see and end their own, admins those of others. */
export function Sessions({ operatorId }: { readonly operatorId: string }) {
  const query = useQuery(read('listSessions', { query: { operatorId } }));
  return (
    <Section title={t.title}>
      <PagedTable
        label={t.title}
        query={onePage(query)}
        lines={2}
        rowsOf={({ sessions }) => sessions}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Section>
  );
}
