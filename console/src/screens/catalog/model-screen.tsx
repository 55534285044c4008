import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read, readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Differences } from '../../components/values/differences';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { AUDIT_ACTIONS } from '../../texts/audit-actions';
import { EditModel } from './model-form';
import { VariantPrices } from './model-preview';
import { MODEL_COLUMNS, ModelActions } from './product-models';

type Entry = ApiResponse<'listAuditLog'>['entries'][number];

const route = getRouteApi('/catalog/models/$modelId');
const t = texts.catalog.modelPage;

/** One product model: what its variants cost, and who changed what. */
export function ModelScreen() {
  const { modelId } = route.useParams();
  const query = useQuery(read('listProductModels', { query: { modelIds: modelId } }));
  const mayChange = useMay('operator');
  const model = query.data?.productModels[0];
  return (
    <Screen
      title={model?.name ?? modelId}
      actions={
        model !== undefined && mayChange ? (
          <>
            <ModelActions model={model} size="xs" />
            <EditModel model={model} />
          </>
        ) : null
      }
    >
      <PagedTable
        label={texts.catalog.models}
        query={onePage(query)}
        rowsOf={({ productModels }) => productModels}
        columns={MODEL_COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: modelId, text: t.missing }}
      />
      <QueryContent query={query}>
        {({ productModels: [found] }) =>
          found === undefined ? null : (
            <Section title={texts.catalog.variants.title}>
              {/* After a change by somebody else, prices are read again. */}
              <VariantPrices key={JSON.stringify([found.attributes, found.production])} model={found} />
            </Section>
          )
        }
      </QueryContent>
      <History modelId={modelId} />
    </Screen>
  );
}

const HISTORY: readonly Column<Entry>[] = [
  { name: t.historyColumns.at, cell: ({ at }) => <Time at={at} /> },
  { name: t.historyColumns.actor, cell: ({ actor }) => actor.name },
  { name: t.historyColumns.action, cell: ({ action }) => AUDIT_ACTIONS[action] },
  {
    name: t.historyColumns.changes,
    cell: ({ before, after }) => (before === null ? texts.common.none : <Differences before={before} after={after} />),
  },
];

/** Who changed the product model, newest first. */
function History({ modelId }: { readonly modelId: string }) {
  const query = useInfiniteQuery(
    readPages('listAuditLog', { query: { object: `product_model:${modelId}`, limit: 10 } }),
  );
  return (
    <Section title={t.history}>
      <PagedTable
        label={t.history}
        query={query}
        lines={3}
        rowsOf={({ entries }) => entries}
        columns={HISTORY}
        keyOf={({ id }) => id}
        empty={{ title: t.noHistory, text: t.noHistoryText, asLine: true }}
      />
    </Section>
  );
}
