import { countOf } from './common';

export const reports = {
  title: 'Reports',
  from: 'From (UTC)',
  to: 'To (UTC)',
  by: 'By',
  dimensions: { day: 'Day', client: 'Client', partner: 'Partner', carrier: 'Carrier', product: 'Product' },
  chart: 'Chart',
  measures: {
    orders: 'Orders',
    reprints: 'Reprints',
    units: 'Units',
    revenue: 'Revenue',
    cost: 'Cost',
    margin: 'Margin',
    parcels: 'Parcels',
    delivered: 'Delivered',
    late: 'Late',
    errors: 'Errors',
    claims: 'Claims to pay',
  },
  currency: 'Currency',
  carrier: 'Carrier',
  product: 'Product',
  exportParquet: 'Export Parquet',
  inCurrency: (measure: string, currency: string) => `${measure} in ${currency}`,
  firstRows: (shown: number, all: number) =>
    `The chart and the table have the first ${countOf(shown)} of ${countOf(all)} rows. The exports have all.`,
  asOf: 'Changes of orders are counted until:',
  empty: 'No orders in this period',
  emptyText: 'Choose another period, or clear the filters.',
} as const;
