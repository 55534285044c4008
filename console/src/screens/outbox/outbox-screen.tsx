import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { readPages } from '../../api/queries';
import { FilterForm, FilterText } from '../../components/forms/filter-form';
import { textOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import { Screen } from '../../components/layout/screen';
import { ExportCsv } from '../../components/lists/export-csv';
import * as texts from '../../texts';
import { CountsByKind } from './counts-by-kind';
import { Messages } from './messages';
import type { OutboxSearch } from './outbox-search';

const route = getRouteApi('/outbox');
const t = texts.outbox;

export function OutboxScreen() {
  const search = route.useSearch();
  const { state = 'dead', ...filters } = search;
  const query = useInfiniteQuery(readPages('listOutboxMessages', { query: { state, ...filters } }));
  const input = { query: { state, ...filters, format: 'csv' as const } };
  return (
    <Screen title={t.title} intro={t.intro} actions={<ExportCsv operation="listOutboxMessages" input={input} />}>
      <CountsByKind />
      <Filters search={search} state={state} />
      <Messages state={state} filter={{ kind: search.kind, target: search.target }} query={query} />
    </Screen>
  );
}

function Filters(props: { readonly search: OutboxSearch; readonly state: keyof typeof t.states }) {
  const { search, state } = props;
  const navigate = route.useNavigate();
  const change = (changed: OutboxSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm onSubmit={(form) => void change({ target: textOf(form, 'target') ?? undefined })}>
      <Select
        label={t.state}
        value={state}
        onChange={(chosen) => change({ state: chosen })}
        options={optionsOf(t.states)}
      />
      <Select
        label={t.kind}
        none={t.allKinds}
        value={search.kind}
        onChange={(kind) => change({ kind })}
        options={optionsOf(t.kinds)}
      />
      <FilterText name="target" label={t.target} value={search.target} width={320} placeholder={t.targetPlaceholder} />
    </FilterForm>
  );
}
