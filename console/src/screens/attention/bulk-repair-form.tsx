import { Button, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call } from '../../api/call';
import { read } from '../../api/queries';
import { ErrorAlert } from '../../components/error-alert';
import { Loaded } from '../../components/loaded';
import { texts } from '../../texts';
import { ACTS } from '../../texts/order';
import { type BulkAction, isStarted, type SelectedOrder } from './bulk-repair-request';
import { NotRepaired } from './not-repaired';

const t = texts.attention.bulk;

/** Says what a bulk repair will do, by a dry run, and starts it with a reason. */
export function BulkRepairForm(props: {
  readonly action: BulkAction;
  readonly orders: readonly SelectedOrder[];
  readonly onClose: () => void;
  readonly onStarted: (bulkRepairId: string) => void;
}) {
  const { action, orders, onClose, onStarted } = props;
  // One key for the dialog: a second click starts nothing.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [reason, setReason] = useState('');
  const [partnerId, setPartnerId] = useState('');
  const orderIds = orders.map(({ id }) => id);
  const choosesPartner = action === 'reroute' || action === 'reproduce';
  const placed = partnerId === '' ? {} : { partnerId };
  const start = useMutation({
    mutationFn: () =>
      call(
        'startBulkRepair',
        { body: { action, reason: reason.trim(), orderIds, ...placed } },
        { idempotencyKey },
      ),
    onSuccess: (answer) => {
      if (isStarted(answer)) onStarted(answer.id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{ACTS[action].explanation}</Text>
        <DryRun action={action} orders={orders} />
        {choosesPartner ? <PartnerChoice value={partnerId} onChange={setPartnerId} /> : null}
        <Textarea
          label={texts.common.reason}
          required
          data-autofocus
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {start.error === null ? null : (
          <ErrorAlert title={texts.common.error.actionTitle} error={start.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.close}
          </Button>
          <Button type="submit" loading={start.isPending} disabled={reason.trim() === ''}>
            {t.button(ACTS[action].name, orders.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** How many of the orders accept the repair now, and why the others do not. */
function DryRun({
  action,
  orders,
}: {
  readonly action: BulkAction;
  readonly orders: readonly SelectedOrder[];
}) {
  const orderIds = orders.map(({ id }) => id);
  const query = useQuery({
    queryKey: ['dryRun', action, orderIds],
    queryFn: async () => {
      const answer = await call('startBulkRepair', {
        body: { action, reason: t.dryRun, orderIds, dryRun: true },
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
      {({ checked, possible, refused }) => (
        <Stack gap="xs" role="status">
          <Text size="sm" fw={500}>
            {t.possible(possible, checked, orders.length)}
          </Text>
          <NotRepaired reasons={refused} orders={orders} />
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
