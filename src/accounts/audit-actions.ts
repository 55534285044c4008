/**
 * Every audited change with the type of the object that it changes and its description.
 * docs/operation/audit-log.md repeats this table. A test asserts that the two are equal.
 */
export const AUDIT_ACTIONS = {
  'operator.sign_in': ['operator', 'Sign in to the console'],
  'operator.sign_in_failed': ['operator', 'Failed sign-in to the console'],
  'operator.end_session': ['operator', 'End a session of an operator'],
  'operator.create': ['operator', 'Create an operator'],
  'operator.change_role': ['operator', 'Change the role of an operator'],
  'operator.withdraw': ['operator', 'Withdraw role, sessions and keys of an operator whose groups have no role'],
  'operator.revoke': ['operator', 'Revoke an operator with all keys'],
  'operator.rotate_key': ['operator', 'Issue a key for an operator'],
  'operator.revoke_key': ['operator', 'Revoke a key of an operator'],
  'client.create': ['client', 'Set up a client'],
  'client.change': ['client', 'Change the settings of a client'],
  'client.rotate_key': ['client', 'Issue a key for a client'],
  'client.revoke_key': ['client', 'Revoke a key of a client'],
  'partner.create': ['partner', 'Set up a print partner'],
  'partner.change': ['partner', 'Change a print partner'],
  'partner.ping': ['partner', 'Send a test message to a print partner'],
  'partner.check': ['partner', 'Check the endpoints of a print partner'],
  'partner.rotate_key': ['partner', 'Issue a key for a print partner'],
  'partner.revoke_key': ['partner', 'Revoke a key of a print partner'],
  'partner.subscribe': ['partner', 'Register the addresses of a print partner'],
  'endpoint.create': ['endpoint', 'Create an endpoint for notifications'],
  'endpoint.change': ['endpoint', 'Change an endpoint'],
  'endpoint.delete': ['endpoint', 'Delete an endpoint'],
  'endpoint.rotate_secret': ['endpoint', 'Rotate the secret of an endpoint'],
  'endpoint.redeliver': ['endpoint', 'Send notifications of a client again'],
  'attribute.put': ['attribute', 'Create or change an attribute'],
  'attribute.add_values': ['attribute', 'Add values to an attribute'],
  'attribute.replace_values': ['attribute', 'Replace values of an attribute'],
  'attribute.remove_value': ['attribute', 'Remove a value of an attribute'],
  'product_model.create': ['product_model', 'Create a product model'],
  'product_model.change': ['product_model', 'Change a product model'],
  'customer_product.create': ['customer_product', 'Create a customer product'],
  'customer_product.change': ['customer_product', 'Change a customer product'],
  'customer_product.delete': ['customer_product', 'Delete a customer product'],
  'customer_product.add_values': ['customer_product', 'Add values to variant options'],
  'customer_product.replace_values': ['customer_product', 'Replace values of variant options'],
  'customer_product.remove_value': ['customer_product', 'Remove a value of a variant option'],
  'archive.restore': ['day', 'Restore archived orders of a day on the command line'],
  'catalog.import': ['catalog', 'Import a catalog file on the command line'],
  'stock.set_up': ['partner', 'Set up stock items of a print partner'],
  'stock.correct': ['partner', 'Correct the stock of a partner'],
  'exchange_rates.load': ['exchange_rates', 'Load the exchange rates of a day'],
  'tax_rates.load': ['tax_rates', 'Load tax rates that apply from a day on'],
  'order.hold': ['order', 'Hold an order'],
  'order.release': ['order', 'Release an order'],
  'order.retry': ['order', 'Retry items of an order'],
  'order.reroute': ['order', 'Move an item to another partner'],
  'order.reproduce': ['order', 'Produce an item again'],
  'order.reprint': ['order', 'Make and ship an order again'],
  'order.refund': ['order', 'Refund units of an order'],
  'order.mark_shipped': ['order', 'Report a print order as shipped'],
  'order.accept_files': ['order', 'Accept the print files of an order with their findings'],
  'order.dismiss': ['order', 'Dismiss the attention reasons of an order'],
  'order.cancel': ['order', 'Cancel an order, or items of it'],
  'order.give_retail_prices': ['order', 'Give an order its retail prices'],
  'order.change_shipping': ['order', 'Change the address or the method of an order'],
  'order.replace_file': ['order', 'Replace a print file of an order'],
  'order.request_file': ['order', 'Ask a client for another print file of an order'],
  'order.replace_label': ['order', 'Replace a damaged label of a package'],
  'order.record_payment': ['order', 'Record the payment of an order'],
  'order.add_note': ['order', 'Add a note to an order'],
  'shipping_order.cancel': ['shipping_order', 'Cancel a shipping order'],
  'bulk_repair.start': ['bulk_repair', 'Repair many orders'],
  'bulk_repair.cancel': ['bulk_repair', 'Cancel a bulk repair'],
  'personal_data.erase': ['erasure', 'Erase the personal data of a recipient'],
  'personal_data.export': ['export', 'Export the personal data of a recipient'],
  'outbox.replay': ['outbox', 'Replay dead letters'],
  'job.run': ['job', 'Run a periodic job now'],
  'payloads.decode': ['payloads', 'Decode payloads of workflows'],
  'servers.confirm': ['servers', 'Confirm the servers, so that workflows start'],
} as const satisfies Record<string, readonly [objectType: string, description: string]>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
export type AuditObjectType = (typeof AUDIT_ACTIONS)[AuditAction][0];

export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as AuditAction[];

export function objectTypeOf(action: AuditAction): AuditObjectType {
  return AUDIT_ACTIONS[action][0];
}

const OBJECT_TYPES: ReadonlySet<string> = new Set(AUDIT_ACTION_NAMES.map(objectTypeOf));

export function isObjectType(text: string): text is AuditObjectType {
  return OBJECT_TYPES.has(text);
}
