import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { read } from '../api/queries';
import { texts } from '../texts';

export interface Destination {
  readonly to: NonNullable<LinkProps['to']>;
  readonly text: string;
}

const { screens } = texts.common;

/** The screens of the main navigation, in its order, without the sandbox. */
const DESTINATIONS: readonly Destination[] = [
  { to: '/today', text: screens.today },
  { to: '/attention', text: screens.attention },
  { to: '/inbox', text: screens.inbox },
  { to: '/orders', text: screens.orders },
  { to: '/shipments', text: screens.shipments },
  { to: '/reports', text: screens.reports },
  { to: '/partners', text: screens.partners },
  { to: '/clients', text: screens.clients },
  { to: '/catalog', text: screens.catalog },
  { to: '/stock', text: screens.stock },
  { to: '/outbox', text: screens.outbox },
  { to: '/system', text: screens.system },
  { to: '/team', text: screens.team },
];

const SANDBOX: Destination = { to: '/sandbox', text: screens.sandbox };

/** Returns the screens of the main navigation, in its order. The sandbox is one where it runs. */
export function useDestinations(): readonly Destination[] {
  const { data } = useQuery({
    ...read('getSandbox', {}),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return data?.sandbox == null ? DESTINATIONS : [...DESTINATIONS, SANDBOX];
}
