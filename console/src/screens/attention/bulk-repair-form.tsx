import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../../api/call';
import { read } from '../../api/queries';
import { ActForm } from '../../components/act-form';
import { Loaded } from '../../components/loaded';
import { texts } from '../../texts';
import { ACTS } from '../../texts/order';
import { type BulkAction, isStarted, type RepairTarget } from './bulk-repair-request';
import { NotRepaired } from './not-repaired';

const t = texts.attention.bulk;

/** Says what a bulk repair will do, by a dry run, and starts it with a reason. */
export function BulkRepairForm(props: {
  readonly action: BulkAction;
  readonly target: RepairTarget;
  readonly onClose: () => void;
  readonly onStarted: (bulkRepairId: string) => void;
}) {
  const { action, target, onClose, onStarted } = props;
  const [partnerId, setPartnerId] = useState('');
  const choosesPartner = action === 'reroute' || action === 'reproduce';
  const placed = partnerId === '' ? {} : { partnerId };
  return (
    <ActForm
      explanation={ACTS[action].explanation}
      button={t.button(ACTS[action].name, target.count)}
      run={({ reason, idempotencyKey }) =>
        call(
          'startBulkRepair',
          { body: { action, reason, ...target.request, ...placed } },
          { idempotencyKey },
        )
      }
      withReason
      fields={
        <>
          <DryRun action={action} target={target} />
          {choosesPartner ? <PartnerChoice value={partnerId} onChange={setPartnerId} /> : null}
        </>
      }
      onClose={onClose}
      onDone={(answer) => {
        if (isStarted(answer)) onStarted(answer.id);
      }}
    />
  );
}

/** How many of the orders accept the repair now, and why the others do not. */
function DryRun({ action, target }: { readonly action: BulkAction; readonly target: RepairTarget }) {
  const query = useQuery({
    queryKey: ['dryRun', action, target.request],
    queryFn: async () => {
      const answer = await call('startBulkRepair', {
        body: { action, reason: t.dryRun, ...target.request, dryRun: true },
      });
      if (isStarted(answer)) throw new ApiError(0, t.noDryRun, null, 'startBulkRepair');
      return answer;
    },
    // Each dry run is in the audit log.
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query} lines={1}>
      {({ total, checked, possible, refused }) => (
        <Stack gap="xs" role="status">
          <Text size="sm" fw={500}>
            {t.possible(possible, checked, total)}
          </Text>
          <NotRepaired reasons={refused} orders={target.orders} />
        </Stack>
      )}
    </Loaded>
  );
}

function PartnerChoice({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (id: string) => void;
}) {
  const query = useQuery(read('listPartners', {}));
  const partners = query.data?.partners ?? [];
  return (
    <NativeSelect
      label={texts.order.partner}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: texts.order.choose },
        ...partners.map(({ id, uid }) => ({ value: id, label: uid })),
      ]}
    />
  );
}
