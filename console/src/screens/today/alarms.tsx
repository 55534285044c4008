import { Button, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { ClientLink, PartnerLink } from '../../components/accounts/account-links';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { BulkRepair } from '../../components/repairs/bulk-repairs';
import { Badge } from '../../components/values/badge';
import { calendarDay } from '../../components/values/days';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import * as t from '../../texts/alarms';

type Row = ApiResponse<'listAlarms'>['alarms'][number]['rows'][number];
type Promises = ApiResponse<'listAlarms'>['alarms'][number]['rows'];

/** What is wrong outside orders. Each row leads to the screen where it is mended. Nothing without alarms. */
export function Alarms() {
  const { data } = useQuery(read('listAlarms', {}));
  const mayMove = useMay('operator');
  const [moved, setMoved] = useState<Moved | null>(null);
  const alarms = data?.alarms ?? [];
  const rows = alarms.flatMap(({ rows }) => rows);
  const hidden = alarms.reduce((sum, { count }) => sum + count, 0) - rows.length;
  const columns: Column<Row>[] = [
    {
      name: t.columns.what,
      cell: ({ reason, count }) => <Badge tone={TONES[reason] ?? 'warning'}>{t.reasons[reason](count)}</Badge>,
    },
    { name: t.columns.whose, cell: ({ account }) => <AccountLink account={account} /> },
    { name: t.columns.where, cell: (row) => <Place row={row} /> },
    { name: t.columns.why, cell: whyOf },
  ];
  if (mayMove && rows.some(({ reason }) => reason === 'closed_day'))
    columns.push({
      name: texts.common.actions,
      cell: (row) => (row.reason === 'closed_day' ? <Move row={row} promises={rows} onMove={setMoved} /> : null),
    });
  return (
    <>
      {alarms.length === 0 ? null : (
        <Section title={t.title}>
          <DataTable
            label={t.title}
            columns={columns}
            rows={rows}
            keyOf={({ account, reason, subject }) => `${account.id} ${reason} ${subject.id}`}
          />
          {hidden === 0 ? null : <Text size="sm">{t.more(hidden)}</Text>}
        </Section>
      )}
      {/* It stays open, with what came of the repair, when the alarm has gone. */}
      <Modal opened={moved !== null} onClose={() => setMoved(null)} title={t.move.name} withCloseButton={false}>
        {moved === null ? null : (
          <BulkRepair
            kind="move_promise"
            target={{
              request: { filter: { brokenPromises: true, partnerIds: [moved.partnerId] } },
              count: moved.orders,
              orders: [],
            }}
            onClose={() => setMoved(null)}
            onStarted={() => undefined}
          />
        )}
      </Modal>
    </>
  );
}

/** The partner whose promises are moved, and the orders that this is about. */
interface Moved {
  readonly partnerId: string;
  readonly orders: number;
}

const TONES: { readonly [Reason in Row['reason']]?: 'danger' } = {
  closed_day: 'danger',
  gone: 'danger',
  run_failed: 'danger',
  expired: 'danger',
};

function AccountLink({ account: { id, name, role } }: Pick<Row, 'account'>) {
  if (role === 'client') return <ClientLink id={id} name={name} />;
  if (role === 'partner') return <PartnerLink id={id} uid={name} />;
  return (
    <Link to="/team/$operatorId" params={{ operatorId: id }}>
      {name}
    </Link>
  );
}

/** The screen where a row is mended. */
function Place({ row: { account, reason, subject } }: { readonly row: Row }) {
  switch (reason) {
    case 'closed_day':
      return (
        <Link to="/partners/$partnerId" params={{ partnerId: account.id }}>
          {t.promised(calendarDay(subject.name))}
        </Link>
      );
    case 'gone':
    case 'failing':
      return (
        <Link to="/clients/$clientId" params={{ clientId: account.id }} search={{ endpoint: subject.id }}>
          {subject.name}
        </Link>
      );
    case 'run_failed':
      return (
        <Link to="/channels/$channelId" params={{ channelId: subject.id }}>
          {subject.name}
        </Link>
      );
    case 'expires':
    case 'expired':
      return subject.name;
    case 'reported_out':
      return (
        <Link to="/stock" search={{ partnerId: account.id }}>
          {subject.name}
        </Link>
      );
    default:
      return (
        <Link to="/stock" search={{ partnerId: account.id, alert: reason }}>
          {subject.name}
        </Link>
      );
  }
}

function whyOf({ reason, detail, at }: Row): ReactNode {
  if (reason === 'closed_day' && detail !== null) return t.possible(calendarDay(detail));
  if (reason === 'gone') return t.gone;
  if (reason === 'failing') return t.failing;
  if (at === null) return texts.common.none;
  return (
    <>
      {detail} <Age at={at} />
    </>
  );
}

/** Moves the promises of a partner, in the background, for all of its days. */
function Move(props: { readonly row: Row; readonly promises: Promises; readonly onMove: (moved: Moved) => void }) {
  const { row, promises, onMove } = props;
  const { id, name } = row.account;
  const orders = promises.reduce((sum, each) => sum + (isSame(each, row) ? each.count : 0), 0);
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={t.move.label(name)}
      onClick={() => onMove({ partnerId: id, orders })}
    >
      {t.move.name}
    </Button>
  );
}

const isSame = ({ account, reason }: Row, row: Row) => account.id === row.account.id && reason === row.reason;
