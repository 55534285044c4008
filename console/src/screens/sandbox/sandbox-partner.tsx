import { Group } from '@mantine/core';
import { useMay } from '../../api/session';
import { DescriptionList } from '../../components/layout/description-list';
import { Empty } from '../../components/layout/empty';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import * as texts from '../../texts';
import { ClearRules, SetBehaviour } from './behaviour';
import { CommandResponse } from './command-response';
import { PostbackButtons } from './postback-buttons';
import type { Sandbox, SandboxPartnerView } from './types';
import { useCommand } from './use-command';

type PrintOrder = SandboxPartnerView['printOrders'][number];

const t = texts.sandbox.partner;

const COLUMNS: readonly Column<PrintOrder>[] = [
  {
    name: t.columns.printOrder,
    cell: ({ printOrderId }) => (
      <Link to="/orders" search={{ q: printOrderId }}>
        {printOrderId}
      </Link>
    ),
  },
  { name: t.columns.behaviour, cell: ({ behaviour }) => behaviour },
  {
    name: t.columns.state,
    cell: ({ state, reason }) => {
      const name = texts.names.code(state.replaceAll('-', '_'));
      return reason === null ? name : `${name}: ${reason}`;
    },
  },
  {
    name: t.columns.postbacks,
    cell: ({ postbacks }) => postbacks.map(({ status }) => status).join(', ') || texts.common.none,
  },
];

/** A partner of the sandbox: its behaviour, its latest print orders and buttons that send what a partner sends. */
export function SandboxPartner(props: {
  readonly partner: SandboxPartnerView;
  readonly behaviours: Sandbox['behaviours'];
}) {
  const { name, subscribed, rules, printOrders } = props.partner;
  const mayControl = useMay('operator');
  const command = useCommand();
  const buttons: Column<PrintOrder> = {
    name: t.columns.buttons,
    cell: ({ printOrderId }) => <PostbackButtons partnerName={name} printOrderId={printOrderId} command={command} />,
  };
  return (
    <Section
      title={name}
      actions={
        mayControl ? (
          <Group gap="xs">
            <SetBehaviour partnerName={name} behaviours={props.behaviours} />
            {rules.length === 0 ? null : <ClearRules partnerName={name} />}
          </Group>
        ) : null
      }
    >
      <div>
        <DescriptionList entries={[[t.rules, <Rules key="rules" rules={rules} />]]} />
        <CommandResponse command={command} />
      </div>
      {subscribed ? null : <Badge tone="warning">{t.notSubscribed}</Badge>}
      {printOrders.length === 0 ? (
        <Empty title={t.empty} text={t.emptyText} />
      ) : (
        <DataTable
          label={name}
          columns={mayControl ? [...COLUMNS, buttons] : COLUMNS}
          rows={printOrders}
          keyOf={({ printOrderId }) => printOrderId}
        />
      )}
    </Section>
  );
}

function Rules({ rules }: Pick<SandboxPartnerView, 'rules'>) {
  if (rules.length === 0) return t.wellBehaved;
  return (
    <Group gap={6}>
      {rules.map(({ id, behaviour, contains, left }) => (
        <Badge key={id} tone="info">
          {t.rule(behaviour, contains, left)}
        </Badge>
      ))}
    </Group>
  );
}
