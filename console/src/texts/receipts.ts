import { countOf } from './common';

export const receipts = {
  title: 'Receipts',
  intro: 'What clients owe for a month, in UTC. Refunds are negative. Archived orders are counted.',
  month: 'Month (UTC)',
  country: 'Country',
  rate: 'VAT rate',
  type: 'Type',
  allTypes: 'All types',
  types: { invoice: 'Invoice', refund: 'Refund' },
  treatments: {
    taxed: 'Taxed',
    export: 'Export',
    reverse_charge: 'Reverse charge',
  },
  sums: 'VAT by country and rate',
  lines: 'Lines of receipts',
  sumColumns: { treatment: 'Treatment', receipts: 'Receipts', net: 'Net', tax: 'VAT', gross: 'Gross' },
  lineColumns: { date: 'Date', number: 'Number', order: 'Order', client: 'Client', title: 'Line', units: 'Units' },
  total: (net: string, tax: string, gross: string) => `In total ${net} net, ${tax} VAT, ${gross} gross`,
  percent: (rate: number) => `${countOf(Number((rate * 100).toFixed(3)))} %`,
  statements: 'Statements',
  noStatement: 'No statement of this month',
  noStatementText: 'An operator issues the statements of a month when it has ended.',
  statementColumns: { number: 'Number', kind: 'Kind', issued: 'Issued', due: 'Due', files: 'Files' },
  kinds: { invoice: 'Invoice', credit_note: 'Credit note' },
  file: (format: string, number: string) => `${format} of S${number}`,
  issue: {
    name: 'Issue statements',
    explanation: (month: string) =>
      `Issues the statement of ${month} for each client with receipts. Statements that exist stay as they are.`,
    button: 'Issue',
  },
  empty: 'No receipt in this month',
  emptyText:
    'Choose another month, or clear the filters. A receipt is made when an order is planned, refunded or changed.',
} as const;
