/** Texts about what API keys were used for. */
export const name = 'Uses';
export const label = (key: string) => `Uses of ${key}`;
export const first = 'First used';
export const operations = 'Operations';
export const addresses = 'Addresses';
export const endpoints = 'Endpoints that it set up';
export const columns = {
  operation: 'Operation',
  calls: 'Calls',
  first: 'First',
  last: 'Last',
  address: 'Address',
  endpoint: 'Endpoint',
  state: 'State',
} as const;
export const states = { enabled: 'Enabled', disabled: 'Disabled' } as const;
export const none = 'None';
export const noneText = 'The key has not been used for it.';
export const revokeFirst = 'Revoke the key to disable its endpoints at once.';
export const disable = {
  name: 'Disable endpoints',
  explanation: (key: string) => `Every endpoint that ${key} set up is disabled. The client can enable them again.`,
  button: 'Disable endpoints',
} as const;
