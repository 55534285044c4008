import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { createPresslineClient } from '../client/pressline-client';
import { createAccount, issueKey } from '../src/accounts/accounts-and-keys';
import { runBenchmark } from './support/benchmark';
import { inParallel } from './support/in-parallel';
import { withBenchStack } from './support/processes/bench-stack';
import { spreadOf } from './support/report';
import { sampleOrder } from './support/sample-order';

/** The partner of orders to Ohio. It hangs while neighbours are noisy. */
const HANGING = 'prints-ohio';

/**
 * Measures the time from the submission of a client's order to its arrival at the partner: alone, and while another client's
 * file host sends nothing and another partner hangs.
 */
runBenchmark({
  name: 'noisy',
  options: {
    orders: [20, 'measured orders, one after the other, alone and with noise'],
    silent: [120, 'orders of the other client whose files never send a byte'],
    hanging: [60, 'orders of the other client for the partner that hangs'],
  },
  measure: async ({ orders, silent, hanging }) =>
    await withBenchStack({ OUTBOUND_ALLOW_PRIVATE: true }, async ({ credentials, services }) => {
      const { baseUrl } = credentials;
      const hosts = await startHosts();
      for (const { name, apiKey } of credentials.partners) {
        const body = { orderSubmitUrl: `${hosts.url}/${name}` };
        await createPresslineClient({ baseUrl, apiKey }).subscribePartner({ body });
      }
      const noisy = createPresslineClient({ baseUrl, ...credentials.client });
      const account = (await createAccount(services.sql, { role: 'client', name: 'quiet client' }))!;
      const quiet = createPresslineClient({ baseUrl, ...(await issueKey(services.sql, account.id)) });

      const measured = async (prefix: string) => {
        const seconds: number[] = [];
        for (let index = 0; index < orders; index++) {
          const reference = `${prefix}-${index}`;
          const began = performance.now();
          const arrived = hosts.arrival(reference);
          const body = sampleOrder(reference, `${hosts.url}/poster.pdf`);
          await quiet.submitOrder({
            body: { ...body, shippingAddress: { ...body.shippingAddress, lastName: reference } },
          });
          await arrived;
          seconds.push((performance.now() - began) / 1_000);
        }
        return spreadOf(seconds);
      };
      await measured('warm-up');
      const alone = await measured('alone');
      await inParallel(silent, 20, async (index) => {
        await noisy.submitOrder({ body: sampleOrder(`silent-${index}`, `${hosts.url}/silent.pdf`) });
      });
      await inParallel(hanging, 20, async (index) => {
        const body = sampleOrder(`hanging-${index}`, `${hosts.url}/poster.pdf`);
        const shippingAddress = {
          ...body.shippingAddress,
          country: 'US',
          state: 'OH',
          city: 'Dayton',
          postCode: '45402',
          phone: '+1 937 555 0123',
        };
        await noisy.submitOrder({ body: { ...body, shippingAddress } });
      });
      // The runs of the other client have started. What remains are its waiting files and deliveries.
      const left = () => services.sql`SELECT FROM outbox WHERE dead_at IS NULL LIMIT 1`;
      while ((await left()).length > 0) await sleep(200);
      const beside = await measured('beside');
      return [
        { what: 'submission to partner, alone', unit: 's', value: alone },
        { what: 'submission to partner, with noise', unit: 's', value: beside },
        {
          what: 'ratio of the medians',
          unit: '',
          value: spreadOf([beside.median / alone.median]),
          target: { value: 2, atLeast: false },
        },
        { what: 'silent and hanging requests at the end', unit: '', value: spreadOf([hosts.open()]) },
      ];
    }),
});

/** Starts a server that is the file host of both clients, and the partners. */
async function startHosts() {
  const pdf = new PDFDocument({ size: [842, 1191], margin: 0 });
  pdf.rect(100, 100, 640, 990).fill();
  pdf.end();
  const poster = await buffer(pdf);
  const arrivals = new Map<string, () => void>();
  const open = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    if (request.url === '/poster.pdf') {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(poster);
      return;
    }
    const body = (await buffer(request)).toString();
    if (request.url === '/silent.pdf' || request.url === `/${HANGING}`) {
      open.add(response);
      response.on('close', () => open.delete(response));
      return;
    }
    response.writeHead(200).end('{}');
    for (const [reference, arrive] of arrivals) if (body.includes(`"lastName":"${reference}"`)) arrive();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open.size,
    /** Resolves when a partner gets the print order of an order. The reference is the last name of its address. */
    arrival: (reference: string) =>
      new Promise<void>((resolve) => {
        arrivals.set(reference, () => {
          arrivals.delete(reference);
          resolve();
        });
      }),
  };
}
