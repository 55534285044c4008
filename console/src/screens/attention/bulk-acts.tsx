import { Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../texts';
import { ACTS } from '../../texts/order';
import { BulkRepairForm } from './bulk-repair-form';
import { BulkRepairProgress } from './bulk-repair-progress';
import { BULK_ACTIONS, type BulkAction, type RepairTarget } from './bulk-repair-request';

/** Buttons that act on all selected orders, with one reason. */
export function BulkActs(props: { readonly target: RepairTarget; readonly onDone: () => void }) {
  const { target, onDone } = props;
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <Group gap="xs">
      {BULK_ACTIONS.map((each) => (
        <Button
          key={each}
          size="xs"
          variant="default"
          disabled={target.count === 0}
          onClick={() => setAction(each)}
        >
          {ACTS[each].name}
        </Button>
      ))}
      <Text size="sm" c="dimmed">
        {texts.attention.selected(target.count)}
      </Text>
      <Modal
        opened={action !== null}
        onClose={() => setAction(null)}
        title={action === null ? '' : ACTS[action].name}
        withCloseButton={false}
      >
        {action === null ? null : (
          <BulkRepair action={action} target={target} onClose={() => setAction(null)} onStarted={onDone} />
        )}
      </Modal>
    </Group>
  );
}

function BulkRepair(props: {
  readonly action: BulkAction;
  readonly target: RepairTarget;
  readonly onClose: () => void;
  readonly onStarted: () => void;
}) {
  // The list loses orders while they are repaired. The dialog keeps those that it was opened for.
  const [target] = useState(props.target);
  const [bulkRepairId, setBulkRepairId] = useState<string | null>(null);
  if (bulkRepairId !== null)
    return <BulkRepairProgress bulkRepairId={bulkRepairId} orders={target.orders} onClose={props.onClose} />;
  return (
    <BulkRepairForm
      action={props.action}
      target={target}
      onClose={props.onClose}
      onStarted={(id) => {
        setBulkRepairId(id);
        props.onStarted();
      }}
    />
  );
}
