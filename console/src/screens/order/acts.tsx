import { Button, Checkbox, Group, Modal, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { call, type Input } from '../../api/call';
import { ActForm, type Given } from '../../components/act-form';
import { texts } from '../../texts';
import { ACTS } from '../../texts/order';
import type { OperatorOrder } from './order-screen';

type Action = OperatorOrder['actions'][number];
type Repair = Input<'repairOrder'>['body'];

const t = texts.order;

/** The repairs that the order accepts now. The API lists them by the rules of the order's workflow. */
export function Acts({ order }: { readonly order: OperatorOrder }) {
  const [open, setOpen] = useState<Action | null>(null);
  if (order.actions.length === 0) return null;
  return (
    <Group gap="xs">
      {order.actions.map((action) => (
        <Button key={action.action} variant="default" onClick={() => setOpen(action)}>
          {ACTS[action.action].name}
        </Button>
      ))}
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === null ? '' : ACTS[open.action].name}
        withCloseButton={false}
      >
        {open === null ? null : <Act order={order} action={open} onClose={() => setOpen(null)} />}
      </Modal>
    </Group>
  );
}

function Act(props: {
  readonly order: OperatorOrder;
  readonly action: Action;
  readonly onClose: () => void;
}) {
  const { order, action, onClose } = props;
  const { explanation, button } = ACTS[action.action];
  const [itemId, setItemId] = useState(action.replacements[0]?.itemId ?? '');
  const [partnerId, setPartnerId] = useState('');
  const [force, setForce] = useState(false);
  const replaced = action.replacements.find((each) => each.itemId === itemId);
  const isForced = force || replaced?.needsForce === true;
  const repair = ({ reason, idempotencyKey }: Given) => {
    const placed = { itemId, partnerId: partnerId || null, ...(isForced ? { force: true } : {}) };
    const body = { action: action.action, reason, ...(replaced === undefined ? {} : placed) };
    return call('repairOrder', { params: { orderId: order.id }, body: body as Repair }, { idempotencyKey });
  };
  const nameOf = (id: string) => order.items.find((item) => item.id === id)?.itemReferenceId ?? id;
  const partners = replaced?.partners.filter(({ rejected }) => rejected === null) ?? [];
  const fields = (
    <>
      {action.reasons.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          {action.reasons.map(texts.names.reason).join(', ')}
        </Text>
      )}
      {replaced === undefined ? null : (
        <>
          <NativeSelect
            label={t.item}
            value={itemId}
            onChange={(event) => setItemId(event.currentTarget.value)}
            data={action.replacements.map((each) => ({ value: each.itemId, label: nameOf(each.itemId) }))}
          />
          <NativeSelect
            label={t.partner}
            value={partnerId}
            onChange={(event) => setPartnerId(event.currentTarget.value)}
            data={[
              { value: '', label: t.choose },
              ...partners.map((partner) => ({
                value: partner.partnerId,
                label: t.partnerOption(partner.partnerUid, partner.costCents),
              })),
            ]}
          />
          <Checkbox
            label={t.force}
            checked={isForced}
            disabled={replaced.needsForce}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
        </>
      )}
    </>
  );
  return (
    <ActForm
      explanation={explanation}
      button={button}
      run={repair}
      withReason
      fields={fields}
      onClose={onClose}
    />
  );
}
