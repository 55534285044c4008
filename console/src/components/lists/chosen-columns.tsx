import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import * as texts from '../../texts';
import { ColumnsIcon } from '../layout/icons';
import type { Column } from './data-table';

/**
 * Returns the columns of a list that this browser shows, and the button that chooses them. The first column is always shown.
 * @param list names the choice
 */
export function useChosenColumns<Row>(
  list: string,
  columns: readonly Column<Row>[],
): { readonly columns: readonly Column<Row>[]; readonly chooser: ReactNode } {
  const [hidden, setHidden] = useLocalStorage<readonly string[]>({ key: `pressline.hidden.${list}`, defaultValue: [] });
  const toggle = (name: string) =>
    setHidden(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name]);
  return {
    columns: columns.filter(({ name }, index) => index === 0 || !hidden.includes(name)),
    chooser: (
      <Popover position="bottom-end" trapFocus>
        <Popover.Target>
          <Button size="xs" variant="default" leftSection={<ColumnsIcon size={14} />}>
            {texts.common.columns}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={texts.common.columns}>
          <Stack gap="xs">
            {columns.slice(1).map(({ name }) => (
              <Checkbox
                key={name}
                size="xs"
                label={name}
                checked={!hidden.includes(name)}
                onChange={() => toggle(name)}
              />
            ))}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    ),
  };
}
