/** Texts of the screen that controls the sandbox. */
export const sandbox = {
  title: 'Sandbox',
  intro: 'Print partners, carriers and print files that behave as you say. It exists only in demos and tests.',
  modes: {
    auto: 'Partners produce every print order.',
    manual: 'Partners accept print orders and wait for your postbacks.',
  },
  notRunning: 'No sandbox runs with this API',
  notRunningText: 'Start Pressline with npm start, or with SANDBOX=manual to send the postbacks yourself.',
  responded: (what: string, status: number) => `${what}: Pressline responded with ${status}.`,
  partner: {
    columns: {
      printOrder: 'Print order',
      behaviour: 'Behaviour',
      state: 'State',
      postbacks: 'Postbacks',
      buttons: 'Send as the partner',
    },
    notSubscribed: 'Not subscribed',
    wellBehaved: 'Well-behaved',
    rules: 'Behaviour of the next print orders',
    rule: (behaviour: string, contains: string | null, left: number | null) =>
      [
        behaviour,
        contains === null ? '' : `if it contains “${contains}”`,
        left === null ? '' : left === 1 ? 'once' : `${left} times`,
      ]
        .filter(Boolean)
        .join(', '),
    empty: 'No print order',
    emptyText: 'Print orders appear here when routing chooses the partner.',
  },
  behaviour: {
    name: 'Set behaviour',
    label: (partner: string) => `Set behaviour of ${partner}`,
    explanation: 'The newest rule that matches a print order selects what the partner does.',
    behaviour: 'Behaviour',
    option: (name: string, summary: string) => `${name}: ${summary}`,
    amount: 'Amount (empty: the default of the behaviour)',
    contains: 'Only print orders that contain',
    times: 'Number of print orders (empty: all)',
    button: 'Set behaviour',
  },
  clear: {
    name: 'Remove rules',
    label: (partner: string) => `Remove rules of ${partner}`,
    explanation:
      'The partner is well-behaved again, also when you retry a print order that it refused or did not ship. Print orders that it works on keep their behaviour.',
    button: 'Remove rules',
  },
  postbacks: {
    steps: {
      received: 'Received',
      printed: 'Printed',
      dispatch: 'Request dispatch',
      shipped: 'Shipped',
      error: 'Error',
      cancelled: 'Cancelled',
    },
    label: (name: string, printOrderId: string) => `${name}: print order ${printOrderId}`,
    errorMessage: 'The press is broken',
  },
  parcels: {
    title: 'Parcels',
    columns: {
      number: 'Tracking number',
      carrier: 'Carrier',
      journey: 'Journey',
      scans: 'Scans',
      buttons: 'Report as the carrier',
    },
    empty: 'No parcel',
    emptyText: 'Parcels appear here when a partner has shipped. In manual mode, report scans yourself.',
    label: (status: string, number: string) => `${status}: parcel ${number}`,
    scan: {
      name: 'Report scan',
      explanation: 'The carrier reports a scan of the parcel with this tracking number.',
      carrier: 'Carrier',
      number: 'Tracking number',
      status: 'Status',
      button: 'Report scan',
    },
  },
  carriers: {
    title: 'Carriers',
    columns: { carrier: 'Carrier', labels: 'Labels', buttons: 'Change' },
    sells: 'Sells labels',
    refuses: (message: string) => `Refuses: ${message}`,
    refuse: {
      name: 'Refuse labels',
      label: (uid: string) => `Refuse labels: ${uid}`,
      explanation: 'The carrier sells no label until you let it.',
      message: 'What the carrier says',
    },
    sell: {
      name: 'Sell labels',
      label: (uid: string) => `Sell labels: ${uid}`,
      explanation: 'The carrier sells labels again.',
    },
  },
  files: {
    title: 'Print files',
    faulty: 'Faulty files',
    columns: {
      name: 'File',
      summary: 'What it does',
      response: 'Response',
      address: 'Address',
      buttons: 'Change',
    },
    sent: 'Sends the file',
    fault: (status: number) => `Responds with ${status}`,
    fail: (status: number) => ({
      name: `Respond with ${status}`,
      label: (file: string) => `Respond with ${status}: ${file}`,
      explanation: 'The host fails all requests of this file until you let it send the file.',
    }),
    send: {
      name: 'Send the file',
      label: (file: string) => `Send the file: ${file}`,
      explanation: 'The host sends the file again.',
    },
    copy: 'Copy',
    copyOf: (name: string) => `Copy address of ${name}`,
  },
} as const;
