/** The groups of operations in the OpenAPI document. */
const TAGS: Readonly<Record<string, string>> = {
  Carriers: 'Tracking events of carriers.',
  Catalog: 'Attributes, product models and customer products.',
  Channels: 'Orders that come in files: channels, product mappings, and the inbox of orders that wait.',
  Clients: 'Accounts of clients, with their keys and settings.',
  Documents: 'Labels, customs forms, invoices and print files behind signed links.',
  Notifications: 'Endpoints for signed notifications, and what was delivered to them.',
  'Operator: notifications': 'Endpoints of operators, and deliveries to clients.',
  'Operator: orders': 'Orders as operators see them, with their repairs.',
  'Operator: outbox': 'Messages that wait, and dead letters.',
  'Operator: payload codec': 'Payloads of workflows, decoded for the Temporal UI.',
  'Operator: partners': 'Print partners: setup, keys, stock, routing and conformance.',
  'Operator: personal data': 'Erasure and export of personal data.',
  'Operator: procurement orders': 'Procurement orders as operators move and receive them.',
  'Operator: shipments': 'Shipments of all clients, with their labels and tracking.',
  'Operator: stock': 'Stock items and exchange rates.',
  'Operator: system': 'State of the system: messages, jobs, versions, audit log.',
  Operators: 'Operators, their keys and their sessions.',
  Orders: 'Quote, submit, read, change and cancel orders.',
  'Partner interaction': 'What print partners call: subscription, postbacks, dispatch, stock.',
  Procurement: 'Procurement orders and inventory of print partners.',
  Sandbox: 'Control of the sandbox, where it runs.',
  Shipping: 'Shipping quotes, shipping orders and tracking.',
  System: 'Health checks and this document.',
};

/** Returns a tag with its description. @throws Error when the tag is not in the table */
export function describedTag(name: string): { name: string; description: string } {
  const description = TAGS[name];
  if (description === undefined)
    throw new Error(`the tag ${name} has no description: add one to api/http/openapi-tags.ts`);
  return { name, description };
}
