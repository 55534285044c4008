import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route';
import { ALERTS, PROCUREMENT_STATUSES, type StockSearch } from './search';

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export const stockRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stock',
  validateSearch: (search: Record<string, unknown>): StockSearch => ({
    partnerId: text(search.partnerId),
    sku: text(search.sku),
    alert: ALERTS.find((each) => each === search.alert),
    status: PROCUREMENT_STATUSES.find((each) => each === search.status),
    attention: search.attention === 'true' ? 'true' : undefined,
    procurementOrder: Number(search.procurementOrder) || undefined,
  }),
  component: lazyRouteComponent(() => import('./stock-screen'), 'StockScreen'),
});
