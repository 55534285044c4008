import { Group, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';

/** The filters of a list. Enter in one of its texts applies all of them; selections apply at once. */
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
  useEffect(() => setText(value), [value]);
  return (
    <TextInput {...field} type={type} w={width} value={text} onChange={(event) => setText(event.currentTarget.value)} />
  );
}
