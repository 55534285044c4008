import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/call';
import { read } from '../../api/queries';
import { type Column, DataTable } from '../../components/data-table';
import { Facts } from '../../components/facts';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { Workers } from '../../components/workers';
import { texts } from '../../texts';
import { Configuration } from './configuration';
import { Jobs } from './jobs';

export type System = Answer<'getSystem'>;

const t = texts.system;

export function SystemScreen() {
  const system = useQuery(read('getSystem', {}));
  const summary = useQuery(read('getOperatorSummary', {}));
  return (
    <Screen title={t.title}>
      <Jobs />
      <Section title={t.workers}>
        <Loaded query={summary} lines={2}>
          {({ workers }) => <Workers workers={workers} />}
        </Loaded>
      </Section>
      <Loaded query={system} lines={12}>
        {(read) => (
          <>
            <Reconciliation reconciliation={read.reconciliation} />
            <Versions system={read} />
            <Configuration variables={read.configuration} />
          </>
        )}
      </Loaded>
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
      <Facts
        facts={[
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

type Finding = NonNullable<NonNullable<System['reconciliation']>['findings']>[number];

const FINDINGS: readonly Column<Finding>[] = [
  { name: t.findingColumns.finding, cell: ({ finding }) => texts.names.code(finding) },
  { name: t.findingColumns.description, cell: ({ description }) => description },
  { name: t.findingColumns.count, numeric: true, cell: ({ count }) => count },
];

/** What the last comparison of Postgres with Temporal found and repaired. */
function Reconciliation({ reconciliation }: Pick<System, 'reconciliation'>) {
  return (
    <Section title={t.reconciliation}>
      {reconciliation === null ? (
        <Empty title={t.reconciliationNone} text={t.reconciliationNoneText} />
      ) : (
        <Stack>
          <Facts facts={[[t.reconciliationEnded, <Time key="ended" at={reconciliation.endedAt} />]]} />
          <DataTable
            label={t.reconciliation}
            columns={FINDINGS}
            rows={reconciliation.findings}
            keyOf={({ finding }) => finding}
            empty={t.reconciliationClean}
          />
        </Stack>
      )}
    </Section>
  );
}
