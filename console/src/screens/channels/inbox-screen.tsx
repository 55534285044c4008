import { Button, Chip, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { change } from '../../api/changes';
import { read, readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse, Input } from '../../api/types';
import { DialogButton } from '../../components/forms/dialog-button';
import { FormDialog, type FormDialogContent } from '../../components/forms/form-dialog';
import { Select } from '../../components/forms/select';
import { Screen } from '../../components/layout/screen';
import type { Column } from '../../components/lists/data-table';
import { PagedTable } from '../../components/lists/paged-table';
import { SelectEverything, useSelection } from '../../components/lists/selection';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { correctOrder } from './correct-order';
import { Cell } from './findings';
import { mapProduct } from './map-product';

type Row = ApiResponse<'listAllChannelOrders'>['orders'][number];

const route = getRouteApi('/inbox');
const t = texts.channels.inbox;
const PAGE = 100;
/** Channels that the filter offers. The address takes the id of any channel. */
const CHANNELS = 250;

const paramsOf = ({ id, channelId }: Row) => ({ channelId, channelOrderId: id });
const nameOf = ({ externalId }: Row) => externalId;

/** The orders of channels that wait, with what is done about them. */
export function InboxScreen() {
  const search = route.useSearch();
  const { reason, channelId } = search;
  const navigate = route.useNavigate();
  const mayChange = useMay('operator');
  // The row of a dialog leaves the list while the dialog still says what it did.
  const [dialog, setDialog] = useState<FormDialogContent | null>(null);
  const { data: list } = useQuery(read('listChannels', { query: { limit: CHANNELS } }));
  const channels = (list?.channels ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const counts = useQuery(read('countChannelOrders', { query: { channelId } })).data;
  const query = useInfiniteQuery(readPages('listAllChannelOrders', { query: { reason, channelId, limit: PAGE } }));
  const rows = query.data?.pages.flatMap(({ orders }) => orders) ?? [];
  const selection = useSelection(rows, `${reason} ${channelId}`, ({ id }) => id, nameOf);
  const { selected, isEverything, column, clear } = selection;
  const total = reason === undefined ? counts?.waiting : counts?.reasons.find(({ code }) => code === reason)?.orders;
  const columns: Column<Row>[] = [
    {
      name: t.columns.order,
      cell: (row) => (
        <Stack gap={0}>
          <span>{row.externalId}</span>
          {row.revision === 0 ? null : <Text size="xs">{t.revision(row.revision)}</Text>}
        </Stack>
      ),
    },
    {
      name: t.columns.channel,
      cell: (row) => (
        <Link to="/channels/$channelId" params={{ channelId: row.channelId }}>
          {channels.find(({ value }) => value === row.channelId)?.label ?? row.channelId}
        </Link>
      ),
    },
    { name: t.columns.reasons, cell: (row) => <Reasons of={row} onMap={mayChange ? setDialog : undefined} /> },
    { name: t.columns.received, cell: ({ receivedAt }) => <Age at={receivedAt} /> },
  ];
  if (mayChange) {
    columns.unshift(column);
    columns.push({
      name: texts.common.actions,
      cell: (row) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t.correctOf(row.externalId)}
          disabled={row.judgedAt === null}
          onClick={() => setDialog(correctOrder(paramsOf(row), row.externalId))}
        >
          {t.correct}
        </Button>
      ),
    });
  }
  return (
    <Screen title={t.title} intro={t.intro}>
      <Group align="flex-end">
        <Select
          label={t.channel}
          none={t.allChannels}
          value={channelId}
          onChange={(chosen) => navigate({ search: { ...search, channelId: chosen } })}
          options={channels}
        />
        {channelId === undefined ? null : (
          <Link to="/channels/$channelId" params={{ channelId }}>
            {t.import}
          </Link>
        )}
      </Group>
      <Chip.Group
        value={reason ?? ''}
        onChange={(value) =>
          navigate({ search: { ...search, reason: counts?.reasons.find(({ code }) => code === value)?.code } })
        }
      >
        <Group gap="xs" role="radiogroup" aria-label={t.reason}>
          <Chip value="" size="xs">
            {t.all(counts?.waiting ?? 0)}
          </Chip>
          {counts?.reasons.map(({ code, orders }) => (
            <Chip key={code} value={code} size="xs">
              {t.chip(texts.channels.reasons[code], orders)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {mayChange ? (
        <>
          <Bulk
            orders={selected}
            everything={isEverything ? { filter: { reason, channelId }, count: total ?? selected.length } : null}
            onDone={clear}
          />
          <SelectEverything selection={selection} hasMore={query.hasNextPage} name={t.orders} total={total} />
        </>
      ) : null}
      <PagedTable
        label={t.title}
        query={query}
        rowsOf={({ orders }) => orders}
        columns={columns}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
      <FormDialog content={dialog} onClose={() => setDialog(null)} />
    </Screen>
  );
}

function Reasons(props: {
  readonly of: Row;
  /** Opens the dialog that maps a product. Undefined: the operator may not. */
  readonly onMap: ((content: FormDialogContent) => void) | undefined;
}) {
  const { of: row, onMap } = props;
  if (row.judgedAt === null) return <Badge tone="info">{t.progress}</Badge>;
  return (
    <Stack gap={4}>
      {row.reasons.map((reason) => {
        const { code, field, message, value } = reason;
        const isMappable = code === 'unknown_product' && value !== undefined && onMap !== undefined;
        const external = field?.endsWith('.variantId') ? { variantId: value! } : { sku: value! };
        return (
          <Group key={`${field} ${reason.line} ${message}`} gap={6}>
            <Badge tone="warning">{texts.channels.reasons[code]}</Badge>
            {isMappable ? null : <Cell of={reason} />}
            <Text size="sm">{message}</Text>
            {isMappable ? (
              <Button size="compact-xs" onClick={() => onMap(mapProduct(row.channelId, external, null))}>
                {texts.channels.map.name(value)}
              </Button>
            ) : null}
          </Group>
        );
      })}
    </Stack>
  );
}

/** Buttons that try all selected orders again, or ignore them. */
function Bulk(props: {
  readonly orders: readonly Row[];
  /** Every order that matches, in place of those that are loaded. */
  readonly everything: { readonly filter: Input<'retryChannelOrders'>['body']; readonly count: number } | null;
  readonly onDone: () => void;
}) {
  const { orders, everything, onDone } = props;
  const count = everything?.count ?? orders.length;
  return (
    <Group gap="xs">
      {(['retry', 'ignore'] as const).map((act) => (
        <DialogButton<unknown>
          key={act}
          name={t[act].name}
          explanation={t[act].explanation(count)}
          button={t[act].button(count)}
          disabled={count === 0}
          changeOf={() =>
            everything === null
              ? orders.map((row) => change(`${act}ChannelOrder`, { params: paramsOf(row), body: {} }))
              : [change(`${act}ChannelOrders`, { body: everything.filter })]
          }
          onDone={onDone}
        />
      ))}
      <Text size="sm" c="dimmed">
        {t.selected(count)}
      </Text>
    </Group>
  );
}
