import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root-route';
import { inboxSearch } from './inbox-search';

export const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: inboxSearch,
  component: lazyRouteComponent(() => import('./inbox-screen'), 'InboxScreen'),
});

export const channelRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/channels/$channelId',
  component: lazyRouteComponent(() => import('./channel-screen'), 'ChannelScreen'),
});
