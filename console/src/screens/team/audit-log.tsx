import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { Answer, Input } from '../../api/call';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { type Column, DataTable } from '../../components/data-table';
import { dayOf, startOfDay } from '../../components/days';
import { ExportCsv } from '../../components/export-csv';
import { textOf } from '../../components/form-fields';
import { Json } from '../../components/json';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { AUDIT_ACTIONS } from '../../texts/audit-actions';
import type { AuditSearch } from './route';

type Entry = Answer<'listAuditLog'>['entries'][number];
type Query = NonNullable<Input<'listAuditLog'>['query']>;

const route = getRouteApi('/team');
const t = texts.team.audit;

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The changed object, as a link where the console has a page for it. */
function AuditedObject({ of: { type, id } }: { readonly of: Entry['object'] }) {
  // The first part of a UUID is enough to tell objects apart; its link has all of it.
  const text = `${texts.names.code(type)} ${UUID.test(id) ? `${id.slice(0, 8)}…` : id}`;
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
  if (type === 'connector')
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
  {
    name: t.columns.change,
    cell: ({ before, after }) => <Json value={{ before, after }} show={t.show} hide={t.hide} />,
  },
  { name: t.columns.request, cell: ({ requestId }) => requestId ?? texts.common.none },
  { name: t.columns.address, cell: ({ address }) => address ?? texts.common.none },
];

/** Who changed what, newest first. The filters are in the address of the screen. */
export function AuditLog() {
  const search = route.useSearch();
  const filters = search as Query;
  const query = useInfiniteQuery(readPages('listAuditLog', { query: { ...filters, limit: 25 } }));
  const mayExport = useMay('admin');
  return (
    <Section
      title={t.title}
      actions={
        mayExport ? (
          <ExportCsv operation="listAuditLog" input={{ query: { ...filters, format: 'csv' } }} />
        ) : null
      }
    >
      <Filters search={search} />
      <Loaded query={query} lines={5}>
        {({ pages }) => {
          const rows = pages.flatMap(({ entries }) => entries);
          if (rows.length === 0) return <Empty title={t.empty} text={t.emptyText} />;
          return <DataTable label={t.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
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
        action: textOf(form, 'action') ?? undefined,
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
        <NativeSelect
          name="action"
          w={220}
          label={t.filters.action}
          defaultValue={search.action ?? ''}
          data={[
            { value: '', label: t.allActions },
            ...Object.entries(AUDIT_ACTIONS).map(([value, label]) => ({ value, label })),
          ]}
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
