import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { texts } from '../texts';
import styles from './go-to.module.css';
import { DESTINATIONS } from './navigation';

/** The dialog that opens a screen by its name. */
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
  const wanted = text.trim().toLowerCase();
  const hits = DESTINATIONS.filter((hit) => hit.text.toLowerCase().includes(wanted));
  const openFirst = (event: KeyboardEvent) => {
    const [first] = hits;
    if (event.key !== 'Enter' || first === undefined) return;
    event.preventDefault();
    onClose();
    void navigate({ to: first.to });
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
      {hits.length === 0 ? <Text c="dimmed">{texts.common.goTo.nothing}</Text> : null}
      {hits.map((hit, index) => (
        <Link
          key={hit.to}
          to={hit.to}
          onClick={onClose}
          className={`${styles.hit} ${index === 0 ? styles.first : ''}`}
        >
          {hit.text}
        </Link>
      ))}
    </Stack>
  );
}
