import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { textOf } from '../../components/forms/form-values';
import { choiceOf, optionsOf, Select } from '../../components/forms/select';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { dayOf, startOfDay } from '../../components/values/days';
import { Json } from '../../components/values/json';
import { Link } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { AUDIT_ACTIONS } from '../../texts/audit-actions';
import { OutcomeOf } from '../order/outcome';
import type { AuditSearch } from './team-search';

type Entry = ApiResponse<'listAuditLog'>['entries'][number];

const route = getRouteApi('/team');
const t = texts.team.audit;

const ACTION_OPTIONS = optionsOf(AUDIT_ACTIONS);
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The changed object, as a link where the console has a page for it. */
function AuditedObject({ of: { type, id, name } }: { readonly of: Entry['object'] }) {
  // The first part of a UUID is enough to tell objects apart; its link has all of it.
  const text = `${texts.names.code(type)} ${name ?? (UUID.test(id) ? `${id.slice(0, 8)}…` : id)}`;
  if (type === 'order')
    return (
      <Link to="/orders/$orderId" params={{ orderId: id }}>
        {text}
      </Link>
    );
  if (type === 'partner')
    return (
      <Link to="/partners/$partnerId" params={{ partnerId: id }}>
        {text}
      </Link>
    );
  if (type === 'client')
    return (
      <Link to="/clients/$clientId" params={{ clientId: id }}>
        {text}
      </Link>
    );
  if (type === 'operator')
    return (
      <Link to="/team/$operatorId" params={{ operatorId: id }}>
        {text}
      </Link>
    );
  return <span title={id}>{text}</span>;
}

/** What came of a change of an order, and the status that it has brought. */
function Outcome({ of: { before, after, outcome } }: { readonly of: Entry }) {
  const { fulfillmentStatus: old } = before ?? {};
  const { fulfillmentStatus: status } = after ?? {};
  const became = typeof old === 'string' && typeof status === 'string' && old !== status;
  if (outcome === null && !became) return texts.common.none;
  return (
    <Group gap="xs">
      {outcome === null ? null : <OutcomeOf outcome={outcome} />}
      {became ? <Text size="sm">{t.became(texts.names.code(old), texts.names.code(status))}</Text> : null}
    </Group>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { name: t.columns.at, cell: ({ at }) => <Time at={at} /> },
  {
    name: t.columns.actor,
    cell: ({ actor }) => (
      <Stack gap={0}>
        {actor.name}
        <Text size="xs" c="dimmed">
          {texts.names.code(actor.role)}
        </Text>
      </Stack>
    ),
  },
  { name: t.columns.action, cell: ({ action }) => AUDIT_ACTIONS[action] },
  { name: t.columns.object, cell: ({ object }) => <AuditedObject of={object} /> },
  { name: t.columns.reason, cell: ({ reason }) => reason ?? texts.common.none },
  { name: t.columns.outcome, cell: (entry) => <Outcome of={entry} /> },
  {
    name: t.columns.change,
    cell: ({ before, after }) => <Json value={{ before, after }} show={t.show} hide={t.hide} />,
  },
  { name: t.columns.request, cell: ({ requestId }) => requestId ?? texts.common.none },
  { name: t.columns.address, cell: ({ address }) => address ?? texts.common.none },
];

/** Who changed what, newest first. The filters are in the address of the screen. */
export function AuditLog() {
  const filters = route.useSearch();
  const query = useInfiniteQuery(readPages('listAuditLog', { query: { ...filters, limit: 25 } }));
  const mayExport = useMay('admin');
  return (
    <Section
      title={t.title}
      actions={
        mayExport ? <ExportCsv operation="listAuditLog" input={{ query: { ...filters, format: 'csv' } }} /> : null
      }
    >
      <Filters search={filters} />
      <PagedTable
        label={t.title}
        query={query}
        lines={5}
        rowsOf={({ entries }) => entries}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Section>
  );
}

function Filters({ search }: { readonly search: AuditSearch }) {
  const navigate = route.useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void navigate({
      search: {
        actor: textOf(form, 'actor') ?? undefined,
        action: choiceOf(form, 'action', ACTION_OPTIONS),
        object: textOf(form, 'object') ?? undefined,
        from: startOfDay(String(form.get('from'))),
        to: startOfDay(String(form.get('to'))),
      },
      resetScroll: false,
    });
  };
  return (
    // The fields follow the address, also when a link changes it.
    <form key={JSON.stringify(search)} onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          name="actor"
          label={t.filters.actor}
          placeholder={t.actorPlaceholder}
          defaultValue={search.actor ?? ''}
        />
        <Select
          name="action"
          w={220}
          label={t.filters.action}
          none={t.allActions}
          value={search.action}
          options={ACTION_OPTIONS}
        />
        <TextInput
          name="object"
          label={t.filters.object}
          placeholder={t.objectPlaceholder}
          defaultValue={search.object ?? ''}
        />
        <TextInput name="from" type="date" label={t.filters.from} defaultValue={dayOf(search.from)} />
        <TextInput name="to" type="date" label={t.filters.to} defaultValue={dayOf(search.to)} />
        <Button type="submit" variant="default">
          {t.apply}
        </Button>
      </Group>
    </form>
  );
}
