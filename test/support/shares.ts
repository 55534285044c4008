/**
 * Everything of a process, of a worker or of Postgres that has a bound and that several clients and partners use. A page shows
 * the table (docs/decisions/005-shares.md), and each row has the test that fills the resource.
 */
export const SHARES: readonly {
  readonly resource: string;
  readonly unit: string;
  /** What one client or partner has of it at most. */
  readonly share: string;
  /** A test file, and the first words of the name of its test. */
  readonly test: readonly [file: string, name: string];
}[] = [
  {
    resource: 'Event loop',
    unit: 'parts of long work, quotes of more than 50 items',
    share: 'one part, then a pause of four times its CPU time',
    test: ['src/platform/pace', 'parts run one after the other, and another task'],
  },
  {
    resource: 'Requests of a second',
    unit: 'requests',
    share: '`RATE_LIMIT` for each key',
    test: ['api/http/app', 'a key beyond the rate is 429'],
  },
  {
    resource: 'Requests in progress',
    unit: 'requests',
    share: '`CONCURRENT_REQUESTS` for each key',
    test: ['security/amplification', 'a key with that many requests in progress gets 429'],
  },
  {
    resource: 'Postbacks',
    unit: 'postbacks of a minute',
    share: '600 for each print order',
    test: [
      'api/partner/postbacks',
      'a partner with requests of kind $kind about one print order without end is refused',
    ],
  },
  {
    resource: 'Dispatch requests',
    unit: 'requests of an hour',
    share: '1,000 for each print order',
    test: [
      'api/partner/postbacks',
      'a partner with requests of kind $kind about one print order without end is refused',
    ],
  },
  {
    resource: 'Memory for bodies',
    unit: 'bytes',
    share: '1 MiB for each request in progress',
    test: ['api/http/app', 'a body of 1 MiB is accepted, and a larger one is 413'],
  },
  {
    resource: 'Memory for answers',
    unit: 'entries of a list',
    share: 'a page, or the latest entries',
    test: ['api/partner/postbacks', 'the answers about an order with 10,843 postbacks'],
  },
  {
    resource: 'Exports',
    unit: 'open exports',
    share: 'the quota `exports`, 2 for each account',
    test: ['api/http/lists/export-limits', 'a list is refused to an account with two open exports'],
  },
  {
    resource: 'Database connections',
    unit: 'statements and transactions',
    share: 'one at a time for each request in progress or activity, in turn; a wait ends after 10 s with 503',
    test: ['api/http/connection-turns', 'a client that fills the pool is answered at most twice'],
  },
  {
    resource: 'Outbox lane of starts',
    unit: 'starts under way',
    share: '`WORKER_CLIENT_STARTS` for each client',
    test: ['src/platform/outbox/claim', 'a claim of starts from %s has rows of each client'],
  },
  {
    resource: 'Outbox lane of signals',
    unit: 'sequences under way',
    share: 'one for each order',
    test: ['src/platform/outbox/relay', 'a slow delivery holds neither the slots of the rows claimed with it'],
  },
  {
    resource: 'Outbox lane of notifications',
    unit: 'messages in flight, 128',
    share: 'as many for each client as are left for one more; 8 for each endpoint',
    test: ['src/platform/outbox/relay', 'twenty targets of one client whose receivers are silent'],
  },
  {
    resource: 'Task slots',
    unit: 'activities',
    share: 'fewer than are free',
    test: ['activities/interceptors/attempts', 'an activity beyond the share of its key fails at once'],
  },
  {
    resource: 'Calls to partners',
    unit: 'calls under way',
    share: '`PARTNER_CALLS` for each partner',
    test: [
      'workflows/order/run/noisy-neighbours.slow',
      'print orders beyond the calls that a hanging partner may have',
    ],
  },
  {
    resource: 'File connections',
    unit: 'orders whose files are fetched, `WORKER_FILE_SLOTS`',
    share: 'fewer than are free; a host below 50 kB/s gives way',
    test: ['workflows/order/file-neighbours', 'a host that sends less than 50 kB a second gives way'],
  },
  {
    resource: 'Disk for files',
    unit: 'bytes',
    share: 'fewer than are free',
    test: ['src/files/disk-budget', 'leaves as much free as a client holds'],
  },
  {
    resource: 'Inspection of files',
    unit: 'processes',
    share: 'a turn after each other client',
    test: ['../packages/file-reader/test/turns', 'give each waiting client one slot after the other clients'],
  },
];
