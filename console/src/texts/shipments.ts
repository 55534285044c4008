import type { ApiResponse } from '../api/types';
import type { Named } from './names';

type Problem = NonNullable<
  | ApiResponse<'listParcels'>['parcels'][number]['problem']
  | ApiResponse<'listOperatorShippingOrders'>['shippingOrders'][number]['problem']
>;
type ShippingOrderStatus = ApiResponse<'listOperatorShippingOrders'>['shippingOrders'][number]['status'];

export const shipments = {
  title: 'Shipments',
  search: 'Search shipments',
  placeholder: 'Tracking number, order id or reference',
  problem: 'Problem',
  anyProblem: 'With or without, problems first',
  onlyProblems: 'Only problems',
  status: 'Parcel status',
  allStatuses: 'All statuses',
  shippingOrders: 'Shipping orders',
  parcels: 'Parcels',
  orderColumns: {
    reference: 'Reference',
    problem: 'Problem',
    status: 'Status',
    client: 'Client',
    method: 'Method',
    labels: 'Labels',
    created: 'Created',
  },
  parcelColumns: {
    number: 'Tracking number',
    problem: 'Problem',
    status: 'Status',
    of: 'Order',
    client: 'Client',
    carrier: 'Carrier',
    label: 'Label',
    updated: 'Last change',
  },
  orderStatuses: {
    buying: { text: 'Buying', tone: 'progress' },
    bought: { text: 'Bought', tone: 'success' },
    refused: { text: 'Refused', tone: 'danger' },
    canceling: { text: 'Cancelling', tone: 'progress' },
    canceled: { text: 'Cancelled', tone: 'neutral' },
  } satisfies Record<ShippingOrderStatus, Named>,
  problems: {
    not_handed_over: 'Not handed over for ten days',
    overdue: 'Not delivered after 30 days',
    shipping_exception: 'The carrier reports an exception',
    failed_attempt: 'A delivery attempt failed',
    not_picked_up: 'Not picked up',
    returned: 'Returned to the sender',
    stuck: 'The carrier has not responded',
    refused: 'The carrier refused the purchase',
  } satisfies Record<Problem, string>,
  voided: 'Voided',
  pdf: 'PDF',
  zpl: 'ZPL',
  void: 'Void',
  voidExplanation: (reference: string) =>
    `The carrier is asked to void all labels of ${reference}. They must not be used afterwards. This is possible until a carrier has scanned a package.`,
  voidButton: 'Void labels',
  emptyOrders: 'No shipping order found',
  emptyOrdersText:
    'Shipping orders appear here when clients or partners buy labels for packages of their own. Clear the search and the filters to see all.',
  emptyParcels: 'No parcel found',
  emptyParcelsText:
    'A parcel appears here when a label is bought, or when a partner reports its own tracking code. Clear the search and the filters to see all.',
} as const;
