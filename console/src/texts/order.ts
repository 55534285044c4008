import type { TimelineKind } from '../../../client/order-story';
import type { ApiResponse } from '../api/types';

/** Texts of the page of one order. */

type Order = ApiResponse<'getOperatorOrder'>;

/** What a repair does, in words, and the button that makes it. */
interface RepairTexts {
  readonly name: string;
  readonly explanation: string;
  readonly button: string;
}

type Claim = Order['claims'][number];
type PartnerChoice = Order['possibleRepairs'][number]['reroutes'][number]['partners'][number];
type FileReplacementState = NonNullable<
  ApiResponse<'getOrder'>['items'][number]['files'][number]['replacement']
>['state'];
export const REPAIRS: Readonly<Record<Order['possibleRepairs'][number]['action'] | 'move_promise', RepairTexts>> = {
  retry: {
    name: 'Retry',
    explanation:
      'Print orders that were refused, could not be delivered or are in error are sent to the same partner again. Before production, files that could not be fetched are fetched now, and an order without a partner is planned again.',
    button: 'Retry order',
  },
  accept_files: {
    name: 'Accept files',
    explanation: 'The print files are printed as they are, with what was found in them. The order goes on.',
    button: 'Accept files',
  },
  accept_address: {
    name: 'Accept address',
    explanation:
      'Labels have the address as it is, with what was found in it. Letters that no font has are left out. The order goes on.',
    button: 'Accept address',
  },
  reroute: {
    name: 'Reroute',
    explanation:
      'Another partner makes the item. The current partner is asked to stop first; the new print order is sent when it agrees.',
    button: 'Reroute order',
  },
  reproduce: {
    name: 'Reproduce',
    explanation: 'A new print order makes the units again. It also makes units that wait for an operator.',
    button: 'Reproduce order',
  },
  release: {
    name: 'Release',
    explanation: 'Print orders are sent to partners again.',
    button: 'Release order',
  },
  hold: {
    name: 'Hold',
    explanation: 'No new print order is sent until you release the order. Partners continue with what they have.',
    button: 'Hold order',
  },
  cancel: {
    name: 'Cancel',
    explanation:
      'All items that have not shipped are cancelled and refunded. A partner that may still make them is asked first. A second cancel does not wait for its consent.',
    button: 'Cancel order',
  },
  refund: {
    name: 'Refund',
    explanation:
      'Units that partners have cancelled are refunded and end. The rest of the items continues. Reproduce makes such units instead.',
    button: 'Refund units',
  },
  move_promise: {
    name: 'Move promise',
    explanation:
      'Orders that a day off of their partner makes late get the days that are possible now, and their clients are told.',
    button: 'Move promise',
  },
  mark_shipped: {
    name: 'Mark as shipped',
    explanation: 'The print order is reported as shipped, because its partner has not done so.',
    button: 'Mark as shipped',
  },
  change_shipping: {
    name: 'Change address or method',
    explanation:
      'What has not shipped goes to the new address or by the new method. Labels that were made already are voided, and the partner gets new ones.',
    button: 'Change shipping',
  },
  claim: {
    name: 'Lost, damaged or wrong',
    explanation:
      'Units that have shipped did not arrive as ordered. The client gets the money back, or the units are made and shipped again at no cost.',
    button: 'Settle claim',
  },
  reprint: {
    name: 'Reprint',
    explanation:
      'The items are made and shipped again as a new order of the same client, which is linked to this one. This order does not change.',
    button: 'Reprint order',
  },
  revive: {
    name: 'Revive',
    explanation:
      'The workflow of the order was terminated, has failed or is lost. It is started again in the state that its last step stored.',
    button: 'Revive order',
  },
  dismiss: {
    name: 'Dismiss',
    explanation: 'The attention reasons are cleared. Nothing else changes.',
    button: 'Dismiss order',
  },
};

/** The steps of an order run that call another system, in words. */
export const STEPS: Readonly<Record<string, string>> = {
  fetchOrderFiles: 'Fetch the print files',
  prepareOrder: 'Plan the order',
  deliverPrintOrder: 'Deliver the print order',
  deliverOrderUpdate: 'Deliver the order update',
  cancelAtPartner: 'Ask the partner to cancel',
  dispatchPrintOrder: 'Buy the labels',
  voidOrderShipment: 'Void the labels',
  planReroute: 'Find another partner',
  replanShipments: 'Plan the shipment again',
};

/** What an order waits for, after the words that say for whom. */
export const WAITS: Readonly<Record<Order['nextStep']['waitsFor'], string>> = {
  submission: 'to submit the draft',
  planning: 'to plan the order',
  partner_found: 'to find a partner',
  file_replaced: 'to replace a print file',
  address_changed: 'to change the address',
  release: 'to release the order',
  repair: 'to repair the order',
  delivery: 'to deliver the print order',
  stop: 'to stop its print order',
  received: 'to confirm the print order',
  printed: 'to print',
  dispatch: 'to dispatch',
  shipping: 'to hand over the parcel',
  tracking: 'to deliver the parcel',
  decision: 'to decide what comes next',
  nothing: 'Nothing is left to do',
};

export const order = {
  title: (reference: string) => `Order ${reference}`,
  tabs: { content: 'Order', history: 'Notes and timeline' },
  status: 'Status',
  payment: 'Payment',
  waitsFor: 'Waits for',
  nobody: 'Nobody',
  waitsForOf: (who: string, what: string) => `${who} ${what}`,
  due: 'Due',
  dispatch: 'Dispatch',
  delivery: 'Delivery promise',
  deliverySpan: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
  client: 'Client',
  attention: 'Attention',
  created: 'Created',
  temporal: 'Open in Temporal',
  copy: 'Copy link',
  item: 'Item',
  partner: 'Partner',
  choose: 'Routing chooses',
  noPartner: (reasons: readonly string[]) => ['No other partner can make the item.', ...reasons].join(' '),
  /** Why a partner cannot make an item. The reason can begin with its name. */
  rejected: (partner: string, reason: string) => `${reason.startsWith(partner) ? reason : `${partner} ${reason}`}.`,
  printOrder: 'Print order',
  trackingCode: 'Tracking code of the partner, when the parcel has no label of ours',
  /** How many repairs the order does not accept. */
  impossible: (count: number) =>
    count === 1 ? '1 repair that is not possible now' : `${count} repairs that are not possible now`,
  partnerOption: ({ partnerUid, costCents, dispatchDate, deliveryDate }: PartnerChoice) =>
    [
      partnerUid,
      costCents === null ? null : `${(costCents / 100).toFixed(2)} EUR`,
      dispatchDate === null ? null : `ships by ${dispatchDate}`,
      deliveryDate === null ? null : `delivers by ${deliveryDate}`,
    ]
      .filter((part) => part !== null)
      .join(' · '),
  force: 'Do not wait for the current partner: both may make the units',
  refused: 'Refused',
  units: {
    legend: 'Units',
    of: (quantity: number) => `of ${quantity}`,
    product: (name: string, reference: string) => `${name} (${reference})`,
    all: (quantity: number, item: string) => `${quantity} × ${item}`,
    some: (chosen: number, quantity: number, item: string) => `${chosen} of ${quantity} × ${item}`,
    none: 'Choose at least one unit.',
  },
  concerns: (repair: string, units: string) => `${repair}: ${units}.`,
  /** What the partner of the items is told, by the repair. */
  told: {
    reroute: (partners: string) => `${partners} gets a request to cancel the units, with your reason.`,
    cancel: (partners: string) => `${partners} gets a request to cancel the items, with your reason.`,
    retry: (partners: string) => `${partners} gets the print order again, as it was.`,
    hold: (partners: string) => `${partners} is told nothing.`,
  } as Readonly<Partial<Record<Order['possibleRepairs'][number]['action'], (partners: string) => string>>>,
  /** The last days of delivery: of the units at the partner, and of the order as it is. */
  newPromise: (day: string, promised: string | null) =>
    `The new promise is ${day}${promised === null ? '' : `, the old one ${promised}`}.`,
  priceStays: 'The client’s price stays as it is.',
  amount: (total: string, vat: string, shipping: string | null) =>
    `The client gets back ${total}, with ${vat} of tax${shipping === null ? '' : ` and ${shipping} for shipping`}.`,
  refund: {
    explanation:
      'The client gets back the price of the units. Nothing else changes: what was delivered stays delivered.',
    effect: (units: string) => (units === '' ? 'Refunds nothing.' : `Refunds ${units}.`),
  },
  requestFile: {
    name: 'Ask for a new file',
    label: (type: string, item: string) => `Ask for a new file ${type} of ${item}`,
    explanation:
      'The client is notified with your words, and answers with another file. The request is in the timeline, and the order waits as before.',
    message: 'What is wrong with the file',
    button: 'Ask the client',
    notified: (endpoints: number) =>
      endpoints === 0
        ? 'The client has no endpoint for this notification. The request is in the event log of the order.'
        : `The client is notified at ${endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`}.`,
  },
  claim: {
    title: 'Claims',
    reason: 'What is wrong',
    reasons: { parcel_lost: 'Lost', damaged: 'Damaged', wrong_item: 'Wrong item' } satisfies Record<
      Claim['reason'],
      string
    >,
    note: 'What happened',
    pictures: 'Addresses of pictures, one per line',
    drop: 'Or a picture from this computer: drop it here',
    picture: (number: number) => `Picture ${number}`,
    decision: 'Decision',
    decisions: { replace: 'Make again at no cost', refund: 'Refund', refuse: 'Refuse' },
    liable: 'Who has to pay',
    sides: { carrier: 'Carrier', partner: 'Partner', shop: 'Shop' } satisfies Record<
      NonNullable<Claim['liable']>,
      string
    >,
    message: 'Message to the client',
    decide: 'Decide',
    decideOf: (what: string) => `Decide on the claim ${what}`,
    button: 'Settle claim',
    explanation: 'The client is notified of the decision.',
    columns: { claim: 'Claim', status: 'Status', by: 'By', liable: 'To pay', at: 'Made' },
    replacement: 'Open the replacement',
  },
  cancel: { effect: (units: string) => (units === '' ? 'Cancels nothing.' : `Cancels and refunds ${units}.`) },
  address: {
    legend: 'Delivery address',
    fields: {
      firstName: 'First name',
      lastName: 'Last name',
      companyName: 'Company',
      addressLine1: 'Address line 1',
      addressLine2: 'Address line 2',
      postCode: 'Postcode',
      city: 'City',
      state: 'State',
      country: 'Country',
      email: 'E-mail',
      phone: 'Phone',
    },
  },
  shipping: {
    method: 'Method',
    keep: (name: string | undefined) => (name === undefined ? 'As ordered' : `Keep ${name}`),
    tiers: { standard: 'Standard: the cheapest', express: 'Express: the fastest' },
    try: 'Check the price',
    unchanged: 'Neither the address nor the method is changed.',
    effect: (method: string, total: string, difference: string | null) =>
      `${method}: ${total} in total, ${difference === null ? 'the same price' : `a difference of ${difference}`}.`,
  },
  proof: {
    show: 'Show page',
    label: (type: string) => `Show page of the file ${type}`,
    title: (type: string) => `First page of ${type}, with trim, bleed and safe area`,
    legend: (page: { width: number; height: number; bleedMm: number; safeMarginMm: number }) =>
      `Blue: trim, ${Math.round(page.width)} × ${Math.round(page.height)} mm. Red: bleed of ${page.bleedMm} mm. Green, dashed: safe area, ${page.safeMarginMm} mm inside the trim.`,
  },
  replaceFile: {
    name: 'Replace',
    label: (type: string, item: string) => `Replace the file ${type} of ${item}`,
    explanation:
      'The file is fetched from the new address and checked, and the order goes on. A partner that has the order gets the new file as an order update, and may refuse it.',
    states: {
      checking: 'A new file is being checked',
      sending: 'A new file was sent to the partner',
      refused: 'A new file was refused',
    } satisfies Record<FileReplacementState, string>,
    url: 'Address of the new file',
    drop: 'Or a file from this computer: drop it here',
    placeholder: 'Choose a file',
    uploading: 'The file is being uploaded and checked',
    good: 'The file fits its product.',
    button: 'Replace file',
  },
  again: {
    name: 'Order again',
    explanation:
      'Submits a new order of the same client at today’s prices, with what you change here. Its files are checked as those of any order.',
    button: 'Submit order',
    quantity: 'Units',
    other: 'Another product or size',
    retailPrice: 'Retail price of all units',
    whenAbroad: 'Needed across a customs border',
    first: 'This order',
    keep: 'Is kept',
    cancel: 'Is cancelled',
    notCancelled: 'It cannot be cancelled any more.',
    try: 'Show price and date',
    effect: (total: string, shipping: string, dates: readonly string[]) =>
      `Costs ${total} with VAT, ${shipping} of it shipping without VAT. Arrives ${dates.join(' and ')}.`,
  },
  reprint: {
    file: (type: string, item: string) => `Address of the file ${type} of ${item}`,
    charge: 'Charge the client',
    of: 'Reprint of',
    reprints: 'Reprints',
    first: 'Open the first order',
    again: (number: number) => `Open reprint ${number}`,
    repeat: (reprints: number) =>
      `Make units once more that ${reprints === 1 ? 'a reprint has' : `${reprints} reprints have`} made`,
    elsewhere: 'Ship to another address',
    effect: (units: string, charge: boolean) =>
      units === '' ? 'Makes nothing.' : `Makes ${units}, ${charge ? 'charged to the client' : 'no charge'}.`,
    made: (reference: string) => `Open the new order ${reference}`,
  },
  timeline: {
    title: 'Timeline',
    filter: 'Filter',
    all: 'Everything',
    story: 'Each thing once',
    otherOrder: 'Open the other order',
    kinds: {
      event: 'Events',
      repair: 'Repairs and changes',
      postback: 'Postbacks',
      request: 'Requests to partners',
      checkpoint: 'Parcels',
      notification: 'Notifications',
    } as const satisfies Record<TimelineKind, string>,
    entries: {
      event: 'Event',
      repair: 'Change',
      postback: 'Postback',
      request: 'Request',
      checkpoint: 'Parcel',
      notification: 'Notification',
    },
    showJson: 'Show JSON',
    hideJson: 'Hide JSON',
    by: (name: string) => `by ${name}`,
    empty: 'Nothing has happened',
    emptyText: 'Events, postbacks, checkpoints and notifications appear here.',
  },
  delivered: {
    title: 'Delivery',
    recipient: 'Recipient',
    asSent: (texts: readonly string[]) => `As sent: ${texts.join(', ')}`,
    stages: 'Stages',
    next: 'Next',
    dispatchedBy: (date: string) => `by ${date}`,
    deliveredBy: (date: string) => `by ${date}`,
    method: (name: string, parcels: number) => `${name}, ${parcels === 1 ? '1 parcel' : `${parcels} parcels`}`,
  },
  outcome: {
    title: 'Latest change',
    problem: 'What is wrong',
    failing: (step: string, attempts: number) =>
      `${step}: ${attempts === 1 ? '1 attempt has' : `${attempts} attempts have`} failed.`,
    nextAttempt: 'Next attempt',
    now: 'The next attempt is made now.',
    said: (partner: string) => `${partner} says`,
    /** What comes before the words of a carrier about the parcel of a partner, by the type of the event. */
    carrierSaid: {
      dispatch_failed: (partner: string) => `No label for the parcel from ${partner}. The carrier says`,
      label_not_voided: (partner: string) => `A label of the parcel from ${partner} is not voided. The carrier says`,
    } as Readonly<Record<string, (partner: string) => string>>,
    states: { done: 'Done', waiting: 'Waiting', refused: 'Refused' },
    change: (what: string, by: string) => `${what} by ${by}`,
    by: (partner: string) => `with ${partner}`,
    waitsFor: (partner: string) => `waits for ${partner}`,
  },
  items: {
    title: 'Items',
    preview: (reference: string) => `Preview of ${reference}`,
    severities: { error: 'Error', warning: 'Warning', ok: 'Note' },
    accepted: 'Accepted as it is',
    suggestion: (text: string) => `Suggestion: ${text}.`,
    measured: (file: {
      readonly contentType: string | null;
      readonly sizeBytes: number | null;
      readonly pageCount: number | null;
      readonly widthPx: number | null;
      readonly heightPx: number | null;
      readonly itemDpi: number | null;
    }) =>
      [
        file.contentType ?? 'Not stored',
        file.sizeBytes === null ? '' : `${Math.ceil(file.sizeBytes / 1_000)} kB`,
        file.widthPx === null || file.heightPx === null ? '' : `${file.widthPx} × ${file.heightPx} px`,
        file.pageCount === null || file.pageCount === 1 ? '' : `${file.pageCount} pages`,
        file.itemDpi === null ? '' : `${file.itemDpi} dpi`,
      ]
        .filter((part) => part !== '')
        .join(' · '),
    columns: {
      preview: 'Preview',
      item: 'Item',
      product: 'Product',
      attributes: 'Attributes',
      quantity: 'Quantity',
      files: 'Files',
      status: 'Status',
    },
  },
  printOrders: {
    title: 'Print orders',
    columns: {
      id: 'Print order',
      partner: 'Partner',
      units: 'Units',
      dispatch: 'Dispatch',
      status: 'Status',
    },
    empty: 'No print order yet',
    emptyText: 'A print order appears when routing has chosen a partner.',
    sent: (revision: number) => `Show the message as sent, revision ${revision}`,
    attempts: 'Attempts',
    attemptColumns: { at: 'Time', kind: 'Kind', status: 'Status', duration: 'Duration', response: 'Response' },
    noResponse: 'No response',
    postbacks: 'Postbacks',
    latestOf: (shown: number, all: number) => `The latest ${shown} of ${all}. The timeline has all of them.`,
    postbackColumns: { at: 'Received', status: 'Status', message: 'Message' },
    routing: 'Why this partner',
    routingOf: (item: string) => `Item ${item}, cost in euros`,
    routingColumns: {
      partner: 'Partner',
      verdict: 'Verdict',
      cost: 'Cost',
      production: 'Price',
      postage: 'Postage',
      time: 'Time',
      parcels: 'Parcels and borders',
      stock: 'Stock',
    },
    verdicts: {
      chosen: 'Chosen',
      dearer: 'More expensive',
      dearer_overall: 'More expensive for the whole order',
      rejected: 'Rejected',
    },
  },
  parcels: {
    title: 'Parcels',
    empty: 'No parcel yet',
    emptyText: 'A parcel appears when a label is bought or the partner reports a tracking code.',
    columns: {
      number: 'Tracking number',
      contents: 'Contents',
      carrier: 'Carrier',
      status: 'Status',
      expected: 'Expected',
    },
    units: (quantity: number, item: string) => `${quantity} × ${item}`,
    surplus: 'Valid labels for more units than are wanted',
    voided: 'Voided',
    scans: (count: number, parcel: string) => `${count === 1 ? '1 scan' : `${count} scans`} of ${parcel}`,
    checkpointColumns: { at: 'Time', status: 'Status', message: 'Message', location: 'Location' },
  },
  documents: {
    title: 'Documents',
    empty: 'No document yet',
    emptyText: 'Labels, customs forms and invoices appear when a partner requests dispatch.',
    columns: {
      type: 'Type',
      file: 'File',
      parcel: 'Parcel',
      shipment: 'Shipment',
      size: 'Size',
      created: 'Created',
    },
    kilobytes: (bytes: number) => `${Math.ceil(bytes / 1_000)} kB`,
    labelOf: (parcel: string) => `Label of ${parcel}`,
    pdf: 'PDF',
    zpl: 'ZPL',
  },
  notes: {
    title: 'Notes',
    empty: 'No note',
    emptyText: 'Notes of operators appear here. Clients and partners do not see them.',
    field: 'New note',
    add: 'Add note',
  },
  receipts: {
    title: 'Receipts',
    empty: 'No receipt yet',
    emptyText: 'The invoice appears when the order is priced.',
    columns: { line: 'Line', price: 'Price', vat: 'VAT', total: 'Total' },
    total: 'Total',
  },
  notifications: {
    title: 'Notifications',
    empty: 'No notification',
    emptyText: 'Notifications appear when the client has an endpoint and the order changes.',
    columns: {
      created: 'Created',
      event: 'Event',
      attempts: 'Attempts',
      state: 'State',
    },
    redeliver: 'Redeliver',
    attempt: (result: number | string, duration: string, response: string | null) =>
      [result, duration, response].filter((part) => part !== null && part !== '').join(' · '),
  },
} as const;
