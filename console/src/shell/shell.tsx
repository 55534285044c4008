import {
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  Switch,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Fragment, lazy, Suspense } from 'react';
import { useReachable } from '../api/connection';
import { useLive } from '../api/live';
import { read } from '../api/queries';
import { useSession, useSigning } from '../api/session';
import icon from '../components/layout/icon.svg';
import { SearchIcon, SignOutIcon } from '../components/layout/icons';
import { Link as TextLink } from '../components/values/link';
import * as texts from '../texts';
import { countOf } from '../texts/common';
import { useDestinations } from './navigation';
import styles from './shell.module.css';
import { Views } from './views';

// What a key opens is loaded by its first use.
const GoTo = lazy(async () => ({ default: (await import('./go-to')).GoTo }));
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help')).KeysHelp }));

/** The frame around a screen: header, main navigation, the `main` landmark. */
export function Shell() {
  const [navigation, { toggle, close }] = useDisclosure(false);
  const [goTo, { open: openGoTo, close: closeGoTo }] = useDisclosure(false);
  useLive();
  const [keys, { open: openKeys, close: closeKeys }] = useDisclosure(false);
  useHotkeys([['mod+K', openGoTo]], []);
  useHotkeys([['shift+?', openKeys]]);
  const destinations = useDestinations();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 184, breakpoint: 'md', collapsed: { mobile: !navigation } }}
      padding="lg"
    >
      <a className="skip-link" href="#content">
        {texts.common.skipToContent}
      </a>
      <AppShell.Header className={styles.header!} px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={navigation}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={texts.common.navigation}
            />
            <span className={styles.brand}>
              <img src={icon} alt="" width={22} height={22} />
              {texts.common.product}
            </span>
            <Connection />
          </Group>
          <Group gap="md" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              onClick={openGoTo}
              leftSection={<SearchIcon size={14} />}
              rightSection={<Kbd size="xs">Ctrl K</Kbd>}
              visibleFrom="xs"
            >
              {texts.common.goTo.title}
            </Button>
            <ColorScheme />
            <Operator />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={styles.navbar!} p="xs" aria-label={texts.common.navigation}>
        {destinations.map(({ to, text, icon: Icon }) => (
          <Fragment key={to}>
            <Link to={to} className={styles.link!} onClick={close} preload="intent" activeOptions={{ exact: false }}>
              <Icon size={18} stroke={1.75} />
              {text}
            </Link>
            {to === '/attention' ? <AttentionCounts onClick={close} /> : null}
            <Views to={to} onClick={close} />
          </Fragment>
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="content" className={styles.main!}>
        <Outlet />
      </AppShell.Main>
      <Suspense fallback={null}>
        {goTo ? <GoTo opened onClose={closeGoTo} /> : null}
        {keys ? <KeysHelp opened onClose={closeKeys} /> : null}
      </Suspense>
    </AppShell>
  );
}

/** The reasons of the orders that need attention, each with their number. */
function AttentionCounts({ onClick }: { readonly onClick: () => void }) {
  const { data } = useQuery(read('getOperatorSummary', {}));
  if (data === undefined || data.attention.length === 0) return null;
  return (
    <ul className={styles.counts}>
      {data.attention.map(({ reason, count }) => (
        <li key={reason}>
          <Link to="/attention" search={{ reason }} className={styles.count!} onClick={onClick}>
            <span>{texts.names.reason(reason)}</span> <span>{countOf(count)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Says that the connection to the API is lost, while it is. */
function Connection() {
  const reachable = useReachable();
  return (
    <div role="status">{reachable ? null : <span className={styles.lost}>{texts.common.connection.lost}</span>}</div>
  );
}

/** Follows the browser until the operator chooses. */
function ColorScheme() {
  const scheme = useComputedColorScheme('light');
  const { setColorScheme } = useMantineColorScheme();
  return (
    <Switch
      size="sm"
      aria-label={texts.common.colorScheme}
      title={texts.common.colorScheme}
      offLabel="☀"
      onLabel="☾"
      checked={scheme === 'dark'}
      onChange={(event) => setColorScheme(event.currentTarget.checked ? 'dark' : 'light')}
    />
  );
}

function Operator() {
  const session = useSession().data?.session;
  const { signOut } = useSigning();
  if (session == null) return null;
  const { id, name, role } = session.operator;
  return (
    <>
      <Text size="sm" visibleFrom="md">
        <TextLink to="/team/$operatorId" params={{ operatorId: id }}>
          {name}
        </TextLink>{' '}
        <Text span c="dimmed" size="sm">
          {texts.common.roles[role]}
        </Text>
      </Text>
      <Button variant="default" size="xs" onClick={signOut} leftSection={<SignOutIcon size={14} />}>
        {texts.common.signOut}
      </Button>
    </>
  );
}
