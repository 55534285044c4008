import { Kbd, Modal, Table } from '@mantine/core';
import * as texts from '../texts';

/** The dialog that lists the keys of the console. */
export function KeysHelp({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={texts.common.keys.title}
      closeButtonProps={{ 'aria-label': texts.common.close }}
    >
      <Table aria-label={texts.common.keys.title}>
        <Table.Tbody>
          {texts.common.keys.list.map(([keys, effect]) => (
            <Table.Tr key={keys}>
              <Table.Th scope="row">
                <Kbd>{keys}</Kbd>
              </Table.Th>
              <Table.Td>{effect}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
