/** Texts about the API keys of operators, clients and partners. */
export const keys = {
  title: 'Keys',
  columns: { name: 'Name', key: 'Key', state: 'State', created: 'Created', used: 'Last used' },
  states: { works: 'Works', expires: 'Expires', expired: 'Expired', revoked: 'Revoked' },
  neverUsed: 'Never',
  empty: 'No key',
  emptyText: 'Add a key, so that the account can call the API.',
  key: 'API key',
  secret: 'API secret',
  copyButton: 'Copy',
  copy: (name: string) => `Copy ${name}`,
  shownOnce: 'Copy it now',
  shownOnceText: 'It is not shown again.',
  add: {
    name: 'Add key',
    explanation: 'A new key works at once. The existing keys expire after the time that you choose.',
    label: 'Name',
    overlap: 'Existing keys keep working for',
    days: (days: number) => (days === 0 ? 'No time' : days === 1 ? '1 day' : `${days} days`),
    button: 'Add key',
  },
  revoke: {
    name: 'Revoke',
    label: (key: string) => `Revoke ${key}`,
    explanation: 'The key stops working within a second. This cannot be undone.',
    button: 'Revoke key',
  },
} as const;
