import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import { DescriptionList } from '../../components/layout/description-list';
import { Empty } from '../../components/layout/empty';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Workers } from '../../components/lists/workers';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { Configuration } from './configuration';
import { Jobs } from './jobs';
import { Starts } from './starts';
import type { System } from './types';

const t = texts.system;

export function SystemScreen() {
  const system = useQuery(read('getSystem', {}));
  const summary = useQuery(read('getOperatorSummary', {}));
  return (
    <Screen title={t.title}>
      <Jobs />
      <Section title={t.workers}>
        <QueryContent query={summary} lines={2}>
          {({ workers }) => <Workers workers={workers} />}
        </QueryContent>
      </Section>
      <QueryContent query={system} lines={12}>
        {(read) => (
          <>
            <Starts starts={read.starts} />
            <Reconciliation reconciliation={read.reconciliation} />
            <Versions system={read} />
            <Configuration variables={read.configuration} />
          </>
        )}
      </QueryContent>
    </Screen>
  );
}

function Versions({ system: { versions, temporal } }: { readonly system: System }) {
  const names = t.versionNames;
  return (
    <Section
      title={t.versions}
      actions={
        temporal.uiUrl === null ? null : (
          <Anchor size="sm" href={temporal.uiUrl} target="_blank" rel="noreferrer">
            {t.temporalUi}
          </Anchor>
        )
      }
    >
      <DescriptionList
        entries={[
          [names.pressline, versions.pressline],
          [names.node, versions.node],
          [names.postgres, versions.postgres],
          [names.temporal, versions.temporal ?? t.temporalUnknown],
          [names.schema, versions.schema],
          [names.pending, versions.pendingMigrations.join(', ') || texts.common.none],
          [names.namespace, temporal.namespace],
          [names.taskQueue, temporal.taskQueue],
        ]}
      />
    </Section>
  );
}

type Difference = NonNullable<NonNullable<System['reconciliation']>['differences']>[number];

const DIFFERENCES: readonly Column<Difference>[] = [
  { name: t.differenceColumns.difference, cell: ({ difference }) => texts.names.code(difference) },
  { name: t.differenceColumns.description, cell: ({ description }) => description },
  { name: t.differenceColumns.count, numeric: true, cell: ({ count }) => count },
];

/** What the last comparison of Postgres with Temporal found and repaired. */
function Reconciliation({ reconciliation }: Pick<System, 'reconciliation'>) {
  return (
    <Section title={t.reconciliation}>
      {reconciliation === null ? (
        <Empty title={t.reconciliationNone} text={t.reconciliationNoneText} />
      ) : (
        <Stack>
          <DescriptionList entries={[[t.reconciliationEnded, <Time key="ended" at={reconciliation.endedAt} />]]} />
          <DataTable
            label={t.reconciliation}
            columns={DIFFERENCES}
            rows={reconciliation.differences}
            keyOf={({ difference }) => difference}
            empty={t.reconciliationClean}
          />
        </Stack>
      )}
    </Section>
  );
}
