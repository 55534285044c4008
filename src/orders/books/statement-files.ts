import { stringify } from 'csv-stringify/sync';
import { ciiOf, missingFor, ublOf } from '../../documents/e-invoice';
import { renderStatement } from '../../documents/statement';
import { Refusal } from '../../platform/errors';
import { csvRowsOf, invoiceOf, rowsOf, type StoredStatement } from './statements';

/**
 * Returns a statement as a file. The PDF is a PDF/A-3 with its CII when it lacks nothing for it.
 * @throws Refusal `CONFLICT` when an XML lacks something
 */
export async function statementFile(
  statement: StoredStatement,
  format: 'pdf' | 'csv' | 'ubl' | 'cii',
): Promise<Buffer> {
  const invoice = invoiceOf(statement);
  if (format === 'csv')
    return Buffer.from(
      stringify(csvRowsOf(statement), { header: true, escape_formulas: true, record_delimiter: 'windows' }),
    );
  const missing = missingFor(invoice, format === 'ubl');
  if (format === 'pdf') {
    const embedded = missing.length > 0 ? null : { xml: ciiOf(invoice), at: statement.issuedAt };
    return await renderStatement(invoice, rowsOf(statement), embedded);
  }
  if (missing.length > 0) throw new Refusal('CONFLICT', { message: missing.join(' ') });
  return format === 'ubl' ? ublOf(invoice) : ciiOf(invoice);
}
