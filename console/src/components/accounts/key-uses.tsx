import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Change } from '../../api/changes';
import type { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import * as texts from '../../texts';
import * as t from '../../texts/key-uses';
import { DialogButton } from '../forms/dialog-button';
import { DescriptionList } from '../layout/description-list';
import { EmptyLine } from '../layout/empty';
import { QueryContent } from '../layout/query-content';
import { type Column, DataTable } from '../lists/data-table';
import { Badge } from '../values/badge';
import { calendarDay } from '../values/days';
import { Age, Time } from '../values/time';

type Uses = ApiResponse<'getClientKeyUses'>;
type Endpoint = Uses['endpoints'][number];

/** How the uses of a key are read, and how the endpoints of a revoked one are disabled. Undefined: it cannot have any. */
export interface KeyUsesSource {
  readonly uses: (keyId: string) => ReturnType<typeof read<'getClientKeyUses'>>;
  readonly disableEndpoints?: (keyId: string) => Change<unknown>;
}

/** A button that opens what a key was used for. */
export function KeyUses(props: KeyUsesSource & { readonly keyId: string; readonly name: string }) {
  const { keyId, name, uses } = props;
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" size="compact-xs" aria-label={t.label(name)} onClick={() => setOpened(true)}>
        {t.name}
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={t.label(name)}
        size="xl"
        closeButtonProps={{ 'aria-label': texts.common.close }}
      >
        {opened ? <Content {...props} query={uses(keyId)} /> : null}
      </Modal>
    </>
  );
}

function Content(
  props: Pick<KeyUsesSource, 'disableEndpoints'> & {
    readonly keyId: string;
    readonly name: string;
    readonly query: ReturnType<KeyUsesSource['uses']>;
  },
) {
  const query = useQuery(props.query);
  return (
    <QueryContent query={query} lines={4}>
      {({ key, operations, addresses, endpoints }) => (
        <Stack>
          <DescriptionList
            entries={[
              [t.first, key.firstUsedAt === null ? texts.keys.neverUsed : <Time key="first" at={key.firstUsedAt} />],
              [
                texts.keys.columns.used,
                key.lastUsedAt === null ? texts.keys.neverUsed : <Age key="last" at={key.lastUsedAt} />,
              ],
            ]}
          />
          <Table title={t.operations} columns={OPERATIONS} rows={operations} keyOf={({ operationId }) => operationId} />
          <Table title={t.addresses} columns={ADDRESSES} rows={addresses} keyOf={({ address }) => address} />
          <Table title={t.endpoints} columns={ENDPOINTS} rows={endpoints} keyOf={({ id }) => id} />
          <Disable {...props} isRevoked={key.revokedAt !== null} endpoints={endpoints} />
        </Stack>
      )}
    </QueryContent>
  );
}

const OPERATIONS: readonly Column<Uses['operations'][number]>[] = [
  { name: t.columns.operation, cell: ({ operationId }) => operationId },
  { name: t.columns.calls, numeric: true, cell: ({ calls }) => calls },
  { name: t.columns.first, cell: ({ firstDay }) => calendarDay(firstDay) },
  { name: t.columns.last, cell: ({ lastDay }) => calendarDay(lastDay) },
];

const ADDRESSES: readonly Column<Uses['addresses'][number]>[] = [
  { name: t.columns.address, cell: ({ address }) => address },
  { name: t.columns.calls, numeric: true, cell: ({ calls }) => calls },
  { name: t.columns.first, cell: ({ firstAt }) => <Time at={firstAt} /> },
  { name: t.columns.last, cell: ({ lastAt }) => <Age at={lastAt} /> },
];

const ENDPOINTS: readonly Column<Endpoint>[] = [
  { name: t.columns.endpoint, cell: ({ url }) => url },
  {
    name: t.columns.state,
    cell: ({ enabled }) => (
      <Badge tone={enabled ? 'success' : 'neutral'}>{enabled ? t.states.enabled : t.states.disabled}</Badge>
    ),
  },
];

function Table<Row>(props: {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}) {
  const { title, columns, rows, keyOf } = props;
  return (
    <Stack gap="xs">
      <Text fw={500} size="sm">
        {title}
      </Text>
      {rows.length === 0 ? (
        <EmptyLine title={t.none} text={t.noneText} />
      ) : (
        <DataTable label={title} columns={columns} rows={rows} keyOf={keyOf} />
      )}
    </Stack>
  );
}

function Disable(
  props: Pick<KeyUsesSource, 'disableEndpoints'> & {
    readonly keyId: string;
    readonly name: string;
    readonly isRevoked: boolean;
    readonly endpoints: readonly Endpoint[];
  },
) {
  const { keyId, name, isRevoked, endpoints, disableEndpoints } = props;
  const mayDisable = useMay('admin');
  if (!mayDisable || disableEndpoints === undefined || !endpoints.some(({ enabled }) => enabled)) return null;
  if (!isRevoked) return <Text size="sm">{t.revokeFirst}</Text>;
  return (
    <DialogButton
      name={t.disable.name}
      explanation={t.disable.explanation(name)}
      button={t.disable.button}
      destructive
      changeOf={() => disableEndpoints(keyId)}
    />
  );
}
