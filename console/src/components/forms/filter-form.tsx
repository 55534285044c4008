import { Button, Group, Popover, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import * as texts from '../../texts';
import { FilterIcon, RemoveIcon } from '../layout/icons';
import { SaveView } from '../lists/save-view';

/** Time without a key after which a text applies. */
const TYPED_MS = 300;
const t = texts.common.filters;

/** The filters of a list. A text applies by Enter, or when typing pauses; selections apply at once. */
export function FilterForm(props: { readonly onSubmit: (form: FormData) => void; readonly children: ReactNode }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    props.onSubmit(new FormData(event.currentTarget));
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        {props.children}
        <button type="submit" hidden />
      </Group>
    </form>
  );
}

/** A filter that is set. */
export interface FilterChip {
  readonly label: string;
  readonly value: string | undefined;
  readonly onRemove: () => void;
}

/** Filters behind a button of a filter form, and a chip for each that is set. The address with its filters can be saved as a view. */
export function MoreFilters(props: {
  readonly chips: readonly FilterChip[];
  /** The screen of the list, and its filters. */
  readonly to: string;
  readonly search: Readonly<Record<string, string | undefined>>;
  readonly children: ReactNode;
}) {
  const { chips, to, search, children } = props;
  const set = chips.filter(({ value }) => value !== undefined);
  return (
    <>
      <Popover position="bottom-start" withinPortal={false} trapFocus>
        <Popover.Target>
          <Button variant="default" leftSection={<FilterIcon size={16} />}>
            {t.button}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t.button}>
          <Stack gap="sm">{children}</Stack>
        </Popover.Dropdown>
      </Popover>
      {set.map(({ label, value, onRemove }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="light"
          mb={5}
          rightSection={<RemoveIcon size={14} />}
          aria-label={t.remove(label, value!)}
          onClick={onRemove}
        >
          {t.chip(label, value!)}
        </Button>
      ))}
      <SaveView to={to} search={search} />
    </>
  );
}

/** A text of a filter form. It follows the address, which another part of the console can change. */
export function FilterText(props: {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly width: number;
  readonly placeholder?: string;
  readonly type?: 'search' | 'text';
}) {
  const { value = '', width, type = 'search', ...field } = props;
  const [text, setText] = useState(value);
  // The address has what was typed a moment ago. It must not take the place of what is typed since.
  const typed = useRef(value);
  useEffect(() => {
    if (value !== typed.current) setText(value);
    typed.current = value;
  }, [value]);
  const apply = useDebouncedCallback((form: HTMLFormElement | null) => form?.requestSubmit(), TYPED_MS);
  return (
    <TextInput
      {...field}
      type={type}
      w={width}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        typed.current = currentTarget.value.trim();
        apply(currentTarget.form);
      }}
    />
  );
}
