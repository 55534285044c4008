import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';

const FILTERS = ['actor', 'action', 'object', 'from', 'to'] as const;

/** The filters of the audit log, as the address holds them. */
export type AuditSearch = { readonly [name in (typeof FILTERS)[number]]?: string | undefined };

export const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team',
  validateSearch: (search: Record<string, unknown>): AuditSearch =>
    Object.fromEntries(
      FILTERS.flatMap((name) =>
        typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [],
      ),
    ),
  component: lazyRouteComponent(() => import('./team-screen'), 'TeamScreen'),
});

export const operatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team/$operatorId',
  component: lazyRouteComponent(() => import('./operator-screen'), 'OperatorScreen'),
});
