import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statementFile } from '../../../src/orders/books/statement-files';
import { issueStatements, listStatements } from '../../../src/orders/books/statements';
import { json, type Sql } from '../../../src/platform/postgres';
import { projectRoot } from '../../../src/platform/project-root';
import { testAccount } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { BUYER, LAST_MONTH, MIXED, REFUNDED, receiptsOfMonth, SELLER } from '../../support/rows/receipts-of-month';

/** Electronic statements are valid by the official rules: Peppol BIS Billing 3.0, EN 16931 and PDF/A-3b. */

let sql: Sql;
let folder: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  folder = await mkdtemp(join(tmpdir(), 'pressline-e-invoices-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const validator = join(projectRoot(), 'tools/e-invoices/validate.mjs');
const validate = (...files: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [validator, ...files], { encoding: 'utf8' });
  if (status === 2) throw new Error(stderr);
  return { status, errors: stdout.trim().split('\n').filter(Boolean), log: stderr };
};

async function statementOf(name: string, receipts: Parameters<typeof receiptsOfMonth>[2]) {
  const { id } = await testAccount(sql, 'client');
  await sql`UPDATE accounts SET settings = ${json(sql, BUYER)} WHERE id = ${id}`;
  await receiptsOfMonth(sql, id, receipts);
  expect(await issueStatements(sql, { month: LAST_MONTH, clientId: id, seller: SELLER })).toBe(1);
  const [statement] = await listStatements(sql, { clientId: id }, { limit: 1 });
  const write = async (format: 'ubl' | 'cii' | 'pdf') => {
    const path = join(folder, `${name}.${format === 'pdf' ? 'pdf' : `${format}.xml`}`);
    writeFileSync(path, await statementFile(statement!, format));
    return path;
  };
  return { ubl: await write('ubl'), cii: await write('cii'), pdf: await write('pdf') };
}

const isMissing = ['javac', 'mvn'].filter((program) => spawnSync(program, ['-version']).error !== undefined);
if (isMissing.length > 0)
  process.stderr.write(`${isMissing.join(' and ')} missing: electronic invoices are NOT validated\n`);
// A CI without them fails.
const validated = process.env.CI || isMissing.length === 0 ? test : test.skip;

validated(
  'an invoice of all treatments, a credit note and their PDFs are valid, and an altered one is not',
  async () => {
    const invoice = await statementOf('invoice', MIXED);
    const credit = await statementOf('credit', REFUNDED);
    const { status, errors, log } = validate(
      `ubl-invoice=${invoice.ubl}`,
      `cii=${invoice.cii}`,
      `pdf=${invoice.pdf}`,
      `ubl-credit-note=${credit.ubl}`,
      `cii=${credit.cii}`,
      `pdf=${credit.pdf}`,
    );
    expect({ errors, status }).toEqual({ errors: [], status: 0 });
    expect(log).toMatch(/invoice\.pdf: [1-9]\d* assertions/);

    // The XML within the PDF is the CII.
    const attached = join(folder, 'attached.xml');
    expect(spawnSync('pdfdetach', ['-save', '1', '-o', attached, invoice.pdf]).status).toBe(0);
    expect(readFileSync(attached).equals(readFileSync(invoice.cii))).toBe(true);

    const altered = join(folder, 'altered.xml');
    writeFileSync(
      altered,
      readFileSync(invoice.ubl, 'utf8').replace(/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/, ''),
    );
    expect(validate(`ubl-invoice=${altered}`)).toMatchObject({
      status: 1,
      errors: [expect.stringContaining('PEPPOL-EN16931-R003')],
    });
  },
);
