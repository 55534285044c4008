/**
 * Why production of an item has stopped, by the event that stopped it. Clients read these texts instead of the words of
 * partners and operators, which are internal.
 */
export const STOP_REASONS: Readonly<Record<string, string>> = {
  postback_error: 'The print partner reported an error.',
  postback_cancelled: 'The print partner cancelled the item.',
  print_order_refused: 'The print partner refused the item.',
  print_order_undeliverable: 'The print partner could not be reached.',
  print_order_unbuildable: 'The item cannot be produced as it was ordered.',
  order_parked: 'No print partner can make the item currently.',
  files_held: 'A print file does not fit its product. Replace the file.',
  hold: 'The order was put on hold.',
  cancel_requested: 'The order was cancelled.',
  cancel_items: 'The item was cancelled.',
};
