import { Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import * as texts from '../../texts';
import { REPAIRS } from '../../texts/order';
import { BulkRepairForm } from './bulk-repair-form';
import { BulkRepairProgress } from './bulk-repair-progress';
import { BULK_REPAIRS, type BulkRepairKind, type RepairTarget } from './bulk-repair-request';
import styles from './bulk-repairs.module.css';

/** A bar under a list, with buttons that repair all selected orders with one reason. Without a selection there is none. */
export function BulkRepairs(props: { readonly target: RepairTarget; readonly onStarted: () => void }) {
  const { target, onStarted } = props;
  const [kind, setKind] = useState<BulkRepairKind | null>(null);
  if (target.count === 0 && kind === null) return null;
  return (
    <Group gap="xs" className={styles.bar!}>
      <Text size="sm" fw={500}>
        {texts.attention.selected(target.count)}
      </Text>
      {BULK_REPAIRS.map((each) => (
        <Button key={each} size="xs" variant="default" onClick={() => setKind(each)}>
          {REPAIRS[each].name}
        </Button>
      ))}
      <Modal
        opened={kind !== null}
        onClose={() => setKind(null)}
        title={kind === null ? '' : REPAIRS[kind].name}
        withCloseButton={false}
      >
        {kind === null ? null : (
          <BulkRepair kind={kind} target={target} onClose={() => setKind(null)} onStarted={onStarted} />
        )}
      </Modal>
    </Group>
  );
}

/** Says what a bulk repair will do, and then how far it has come. */
export function BulkRepair(props: {
  readonly kind: BulkRepairKind;
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
      kind={props.kind}
      target={target}
      onClose={props.onClose}
      onStarted={(id) => {
        setBulkRepairId(id);
        props.onStarted();
      }}
    />
  );
}
