import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../api/changes';
import { useConnection } from '../../api/connection';
import * as texts from '../../texts';
import { REPAIRS } from '../../texts/order';
import { usePartnerOptions } from '../accounts/account-options';
import { DialogForm } from '../forms/dialog-form';
import { Select } from '../forms/select';
import { QueryContent } from '../layout/query-content';
import { type BulkRepairKind, isStarted, type RepairTarget } from './bulk-repair-request';
import { NotRepaired } from './not-repaired';

const t = texts.attention.bulk;

/** Says what a bulk repair will do, by a dry run, and starts it with a reason. */
export function BulkRepairForm(props: {
  readonly kind: BulkRepairKind;
  readonly target: RepairTarget;
  readonly onClose: () => void;
  readonly onStarted: (bulkRepairId: string) => void;
}) {
  const { kind, target, onClose, onStarted } = props;
  const [partnerId, setPartnerId] = useState<string>();
  const choosesPartner = kind === 'reroute' || kind === 'reproduce';
  const placed = partnerId === undefined ? {} : { partnerId };
  return (
    <DialogForm
      explanation={REPAIRS[kind].explanation}
      button={t.button(REPAIRS[kind].name, target.count)}
      changeOf={({ reason }) =>
        change('startBulkRepair', { body: { action: kind, reason, ...target.request, ...placed } })
      }
      withReason
      fields={
        <>
          <DryRun kind={kind} target={target} />
          {choosesPartner ? <PartnerChoice value={partnerId} onChange={setPartnerId} /> : null}
        </>
      }
      onClose={onClose}
      onDone={(response) => {
        if (isStarted(response)) onStarted(response.id);
      }}
    />
  );
}

/** How many of the orders accept the repair now, and why the others do not. */
function DryRun({ kind, target }: { readonly kind: BulkRepairKind; readonly target: RepairTarget }) {
  const { call } = useConnection();
  const query = useQuery({
    queryKey: ['dryRun', kind, target.request],
    queryFn: async () => {
      const response = await call('startBulkRepair', {
        body: { action: kind, reason: t.dryRun, ...target.request, dryRun: true },
      });
      if (isStarted(response)) throw new Error(t.noDryRun);
      return response;
    },
    // A dry run of a thousand orders takes seconds.
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <QueryContent query={query} lines={1}>
      {({ total, checked, possible, refused }) => (
        <Stack gap="xs" role="status">
          <Text size="sm" fw={500}>
            {t.possible(possible, checked, total)}
          </Text>
          <NotRepaired reasons={refused} orders={target.orders} />
        </Stack>
      )}
    </QueryContent>
  );
}

function PartnerChoice(props: {
  readonly value: string | undefined;
  readonly onChange: (partnerId: string | undefined) => void;
}) {
  return (
    <Select
      label={texts.order.partner}
      none={texts.order.choose}
      value={props.value}
      onChange={props.onChange}
      options={usePartnerOptions()}
    />
  );
}
