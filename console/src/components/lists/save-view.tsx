import { Button, Popover, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as texts from '../../texts';
import { SaveViewIcon } from '../layout/icons';
import { useViews } from './views';

const t = texts.common.views;

/** The button that saves a list with its filters under a name. A list without filters needs none. */
export function SaveView(props: {
  readonly to: string;
  readonly search: Readonly<Record<string, string | undefined>>;
}) {
  const { to, search } = props;
  const { save } = useViews();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const filters = Object.entries(search).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  if (filters.length === 0) return null;
  const submit = () => {
    if (name.trim() === '') return;
    save({ name: name.trim(), to, search: Object.fromEntries(filters) });
    setName('');
    setOpen(false);
  };
  return (
    <Popover position="bottom-start" withinPortal={false} trapFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button variant="subtle" leftSection={<SaveViewIcon size={16} />} onClick={() => setOpen(!isOpen)}>
          {t.save}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.save}>
        <TextInput
          label={t.name}
          value={name}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
          // The form around is that of the filters.
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            submit();
          }}
        />
        <Button mt="sm" size="xs" disabled={name.trim() === ''} onClick={submit}>
          {t.button}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
