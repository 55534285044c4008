import { randomUUID } from 'node:crypto';
import express from 'express';
import { connectPostgres } from '../../src/platform/postgres';

/**
 * The baseline of the intake benchmark: Express, a JSON body, one INSERT of a row as large as an order, a response of the
 * same form. It validates, looks up and logs nothing.
 */
const [url, port] = process.argv.slice(2) as [string, string];
const sql = connectPostgres(url, { max: 10, applicationName: 'bench-bare' });
const app = express().disable('x-powered-by');
app.post('/v1/orders', express.json(), async (request, response) => {
  const id = randomUUID();
  const [row] = await sql<{ createdAt: Date }[]>`
    INSERT INTO bench_orders (id, reference, body) VALUES (${id}, ${request.body.orderReferenceId}, ${sql.json(request.body)})
    RETURNING created_at`;
  response.json({ id, orderReferenceId: request.body.orderReferenceId, createdAt: row!.createdAt });
});
app.listen(Number(port), '127.0.0.1', () => process.stdout.write('bare server is up\n'));
