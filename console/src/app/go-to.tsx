import { Modal, Stack, TextInput } from '@mantine/core';
import { Link, type LinkProps, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { texts } from '../texts';
import styles from './go-to.module.css';
import { type Destination, useDestinations } from './navigation';

interface Hit {
  readonly to: NonNullable<LinkProps['to']>;
  readonly search?: { readonly q: string };
  readonly text: string;
}

/** Returns the screens whose name contains a text, and the search of orders for it. */
function hitsFor(text: string, destinations: readonly Destination[]): Hit[] {
  const wanted = text.trim();
  const screens = destinations.filter((hit) => hit.text.toLowerCase().includes(wanted.toLowerCase()));
  if (wanted === '') return screens;
  return [...screens, { to: '/orders', search: { q: wanted }, text: texts.common.goTo.orders(wanted) }];
}

/** The dialog that opens a screen by its name, or searches orders. */
export function GoTo({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={texts.common.goTo.title}
      closeButtonProps={{ 'aria-label': texts.common.close }}
      yOffset="12vh"
      centered={false}
    >
      <Hits onClose={onClose} />
    </Modal>
  );
}

function Hits({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const hits = hitsFor(text, useDestinations());
  const openFirst = (event: KeyboardEvent) => {
    const [first] = hits;
    if (event.key !== 'Enter' || first === undefined) return;
    event.preventDefault();
    onClose();
    void navigate({ to: first.to, search: first.search ?? {} });
  };
  return (
    <Stack gap="xs">
      <TextInput
        aria-label={texts.common.goTo.field}
        placeholder={texts.common.goTo.placeholder}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={openFirst}
        data-autofocus
      />
      {hits.map(({ to, search, text: name }, index) => (
        <Link
          key={name}
          to={to}
          search={search ?? {}}
          onClick={onClose}
          className={`${styles.hit} ${index === 0 ? styles.first : ''}`}
        >
          {name}
        </Link>
      ))}
    </Stack>
  );
}
