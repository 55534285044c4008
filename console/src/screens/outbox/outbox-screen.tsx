import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { readPages } from '../../api/queries';
import { ExportCsv } from '../../components/export-csv';
import { FilterForm, FilterText } from '../../components/filter-form';
import { textOf } from '../../components/form-fields';
import { LoadMore } from '../../components/load-more';
import { Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { texts } from '../../texts';
import { CountsByKind } from './counts-by-kind';
import { Messages } from './messages';
import { KINDS, type MessageKind, type MessageState, type OutboxSearch, STATES } from './search';

const route = getRouteApi('/outbox');
const t = texts.outbox;

export function OutboxScreen() {
  const search = route.useSearch();
  const { state = 'dead', ...filters } = search;
  const query = useInfiniteQuery(readPages('listOutboxMessages', { query: { state, ...filters } }));
  const input = { query: { state, ...filters, format: 'csv' as const } };
  return (
    <Screen
      title={t.title}
      intro={t.intro}
      actions={<ExportCsv operation="listOutboxMessages" input={input} />}
    >
      <CountsByKind />
      <Filters search={{ ...search, state }} />
      <Loaded query={query}>
        {({ pages }) => (
          <Messages
            state={state}
            filter={{ kind: search.kind, target: search.target }}
            rows={pages.flatMap(({ messages }) => messages)}
            hasMore={query.hasNextPage}
          />
        )}
      </Loaded>
      <LoadMore {...query} />
    </Screen>
  );
}

function Filters({ search }: { readonly search: OutboxSearch }) {
  const navigate = route.useNavigate();
  const change = (changed: OutboxSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm onSubmit={(form) => void change({ target: textOf(form, 'target') ?? undefined })}>
      <NativeSelect
        label={t.state}
        value={search.state ?? ''}
        onChange={(event) => change({ state: event.currentTarget.value as MessageState })}
        data={STATES.map((value) => ({ value, label: t.states[value] }))}
      />
      <NativeSelect
        label={t.kind}
        value={search.kind ?? ''}
        onChange={(event) =>
          change({ kind: (event.currentTarget.value || undefined) as MessageKind | undefined })
        }
        data={[{ value: '', label: t.allKinds }, ...KINDS.map((value) => ({ value, label: t.kinds[value] }))]}
      />
      <FilterText
        name="target"
        label={t.target}
        value={search.target}
        width={320}
        placeholder={t.targetPlaceholder}
      />
    </FilterForm>
  );
}
