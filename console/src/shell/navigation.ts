import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { read } from '../api/queries';
import * as icons from '../components/layout/icons';
import * as texts from '../texts';

export interface Destination {
  readonly to: NonNullable<LinkProps['to']>;
  readonly text: string;
  readonly icon: ComponentType<{ readonly size: number; readonly stroke: number }>;
}

const { screens } = texts.common;

/** The screens of the main navigation, in its order, without the sandbox. */
const DESTINATIONS: readonly Destination[] = [
  { to: '/today', text: screens.today, icon: icons.TodayIcon },
  { to: '/attention', text: screens.attention, icon: icons.AttentionIcon },
  { to: '/inbox', text: screens.inbox, icon: icons.InboxIcon },
  { to: '/orders', text: screens.orders, icon: icons.OrdersIcon },
  { to: '/shipments', text: screens.shipments, icon: icons.TruckIcon },
  { to: '/reports', text: screens.reports, icon: icons.ReportsIcon },
  { to: '/receipts', text: screens.receipts, icon: icons.ReceiptsIcon },
  { to: '/partners', text: screens.partners, icon: icons.PrinterIcon },
  { to: '/clients', text: screens.clients, icon: icons.ClientsIcon },
  { to: '/catalog', text: screens.catalog, icon: icons.CatalogIcon },
  { to: '/stock', text: screens.stock, icon: icons.StockIcon },
  { to: '/outbox', text: screens.outbox, icon: icons.OutboxIcon },
  { to: '/system', text: screens.system, icon: icons.SystemIcon },
  { to: '/team', text: screens.team, icon: icons.TeamIcon },
];

const SANDBOX: Destination = { to: '/sandbox', text: screens.sandbox, icon: icons.SandboxIcon };

/** Returns the screens of the main navigation, in its order. The sandbox is one where it runs. */
export function useDestinations(): readonly Destination[] {
  const { data } = useQuery({
    ...read('getSandbox', {}),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return data?.sandbox == null ? DESTINATIONS : [...DESTINATIONS, SANDBOX];
}
