import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { createPresslineClient, PresslineError } from '../client/pressline-client';
import { cyclicPattern, manyShadings } from '../sandbox/files/exhausting-files';
import { createAccount, issueKey } from '../src/accounts/accounts-and-keys';
import { notificationTimes } from './noisy/notification-times';
import { runBenchmark } from './support/benchmark';
import { inParallel } from './support/in-parallel';
import { withBenchStack } from './support/processes/bench-stack';
import { type Spread, spreadOf } from './support/report';
import { sampleOrder } from './support/sample-order';

/** The partner of orders to Ohio. It hangs while neighbours are noisy. */
const HANGING = 'prints-ohio';

/** Posters that fill a parcel. */
const UNITS_PER_PARCEL = 10;

/** The most items of an order, and the most units of which its parcels are not too many. */
const MOST_ITEMS = 500;
const MOST_UNITS = 5_000;

/** Time until a partner asks again for the label of a print order whose acceptance is not recorded yet. */
const DISPATCH_PAUSE_MS = 20;

/**
 * Measures the time to a client's notification, beside another client's silent endpoints, and from the submission of its order to
 * its label: alone, while labels of large orders are bought, while another client has its greatest quotes calculated, while a partner
 * sends postbacks to one print order, while another client's files drip or take too long to draw, while
 * its file host sends nothing and another partner hangs, and while many of its good orders wait as well.
 */
runBenchmark({
  name: 'noisy',
  options: {
    orders: [20, 'measured orders, one after the other, alone and with noise'],
    parcels: [500, 'parcels of each large order of the other client'],
    drips: [60, 'orders of the other client whose files come at 18 kB/s'],
    drawn: [30, 'orders of the other client with a pattern that paints itself, and as many with 60,000 gradients'],
    silent: [150, 'orders of the other client whose files never send a byte'],
    hanging: [60, 'orders of the other client for the partner that hangs'],
    good: [10_000, 'good orders of the other client, submitted after the others'],
  },
  measure: async ({ orders, parcels, drips, drawn, silent, hanging, good }) =>
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
      const { apiKey } = credentials.partners.find(({ name }) => name !== HANGING)!;
      const partner = createPresslineClient({ baseUrl, apiKey });

      const confirm = (orderId: string) =>
        partner.postOrderStatus({ body: { orderId, status: 'received', timestamp: new Date().toISOString() } });
      /** Requests the label of a print order, as soon as the partner has it. */
      const label = async (orderId: string) => {
        await confirm(orderId);
        for (;;) {
          try {
            return await partner.dispatchOrder({ body: { orderId } });
          } catch (error) {
            if (!(error instanceof PresslineError && [409, 503].includes(error.status))) throw error;
            await sleep(DISPATCH_PAUSE_MS);
          }
        }
      };

      const measured = async (prefix: string, isOver = (count: number) => count >= orders) => {
        const seconds: number[] = [];
        for (let index = 0; !isOver(index); index++) {
          const reference = `${prefix}-${index}`;
          const began = performance.now();
          const arrived = hosts.arrival(reference);
          const body = sampleOrder(reference, `${hosts.url}/poster.pdf?${reference}`);
          await quiet.submitOrder({
            body: { ...body, shippingAddress: { ...body.shippingAddress, lastName: reference } },
          });
          await label(await arrived);
          seconds.push((performance.now() - began) / 1_000);
        }
        const spread = spreadOf(seconds);
        process.stderr.write(`${prefix}: ${spread.median.toFixed(3)} s\n`);
        return spread;
      };

      /** Submits an order of many parcels, and returns its print order. */
      const largeOrder = async (reference: string) => {
        const arrived = hosts.arrival(reference);
        const { shippingAddress, items, ...body } = sampleOrder(reference, `${hosts.url}/poster.pdf`);
        await noisy.submitOrder({
          body: {
            ...{ ...body, shippingAddress: { ...shippingAddress, lastName: reference } },
            items: items.map((item) => ({ ...item, quantity: parcels * UNITS_PER_PARCEL })),
          },
        });
        const printOrderId = await arrived;
        await confirm(printOrderId);
        return printOrderId;
      };
      const notified = await notificationTimes({ quiet, noisy, count: orders });
      await measured('warm-up');
      const alone = await measured('alone');
      const large = await largeOrder('large');
      let ended = false;
      const dispatched = label(large).finally(() => {
        ended = true;
      });
      const dispatching = await measured('dispatching', () => ended);
      const { documents } = await dispatched;

      /** Measures while two connections of another account send a request again and again. A refused one is followed by the next. */
      const measuredAmong = async (name: string, path: string, key: string, bodyOf: (index: number) => object) => {
        let isOver = false;
        let sent = 0;
        const connection = async () => {
          while (!isOver) {
            const body = JSON.stringify(bodyOf(sent++));
            const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' };
            await (await fetch(baseUrl + path, { method: 'POST', headers, body })).arrayBuffer();
          }
        };
        const connections = [connection(), connection()];
        const spread = await measured(name);
        isOver = true;
        await Promise.all(connections);
        return { spread, sent: spreadOf([sent]) };
      };
      const { items, ...ofOrder } = sampleOrder('quoted', `${hosts.url}/poster.pdf`);
      const lines = Array.from({ length: MOST_ITEMS }, (_, index) => ({
        ...items[0]!,
        itemReferenceId: `poster-${index}`,
        quantity: MOST_UNITS / MOST_ITEMS,
      }));
      const { apiKey: clientKey, apiSecret } = credentials.client;
      const besideQuotes = await measuredAmong('quotes', '/v1/orders/quote', `${clientKey}:${apiSecret}`, () => ({
        ...ofOrder,
        items: lines,
      }));
      const from = Date.now();
      const besidePostbacks = await measuredAmong('postbacks', '/v2/order/status', apiKey, (index) => ({
        ...{ orderId: large, status: 'printed', timestamp: new Date(from + index).toISOString() },
        message: `${index} ${'x'.repeat(500)}`,
      }));

      /** Measures beside orders of the other client for the files of a path, which are cancelled in the end. */
      const measuredBeside = async (path: string, count: number) => {
        const ids: string[] = [];
        const begun = hosts.requested(path);
        await inParallel(count, 20, async (index) => {
          const body = sampleOrder(`${path}-${index}`, `${hosts.url}/${path}?${index}`);
          ids.push((await noisy.submitOrder({ body })).id);
        });
        await begun;
        const spread = await measured(path);
        const [waiting] = await services.sql<{ count: number }[]>`
          SELECT count(*)::int FROM orders WHERE id = ANY(${ids}) AND fulfillment_status IN ('created', 'uploading')`;
        // Those that are printed by now stay.
        await inParallel(count, 20, async (index) => {
          await noisy.cancelOrder({ params: { orderId: ids[index]! }, body: {} }).catch(() => undefined);
        });
        return { spread, left: spreadOf([waiting!.count]) };
      };
      const besideDrips = await measuredBeside('drips', drips);
      const besideCyclic = await measuredBeside('cyclic', drawn);
      const besideShadings = await measuredBeside('shadings', drawn);
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
      const open = hosts.open();
      await inParallel(good, 20, async (index) => {
        await noisy.submitOrder({ body: sampleOrder(`good-${index}`, `${hosts.url}/poster.pdf`) });
      });
      const among = await measured('among');
      const [waiting] = await services.sql<{ count: number }[]>`
        SELECT count(*)::int FROM orders WHERE order_reference_id LIKE 'good-%' AND fulfillment_status = 'created'`;
      const target = { value: 1.5, atLeast: false };
      const ratio = ({ median }: Spread) => spreadOf([median / alone.median]);
      return [
        { what: 'test notification to arrival, alone', unit: 's', value: notified.alone },
        { what: 'test notification to arrival, twenty silent endpoints', unit: 's', value: notified.beside },
        {
          what: 'ratio of the medians',
          unit: '',
          value: spreadOf([notified.beside.median / notified.alone.median]),
          target,
        },
        { what: 'silent notifications meanwhile', unit: '', value: spreadOf([notified.open]) },
        { what: 'submission to label, alone', unit: 's', value: alone },
        { what: 'submission to label, labels of a large order', unit: 's', value: dispatching },
        { what: 'ratio of the medians', unit: '', value: ratio(dispatching), target },
        { what: 'ratio of the slowest', unit: '', value: spreadOf([dispatching.max / alone.max]), target },
        { what: 'labels of the large order', unit: '', value: spreadOf([labelsOf(documents)]) },
        { what: 'submission to label, quotes of 500 items and 5,000 units', unit: 's', value: besideQuotes.spread },
        { what: 'ratio of the medians', unit: '', value: ratio(besideQuotes.spread), target },
        { what: 'such quotes meanwhile', unit: '', value: besideQuotes.sent },
        { what: 'submission to label, postbacks to one print order', unit: 's', value: besidePostbacks.spread },
        { what: 'ratio of the medians', unit: '', value: ratio(besidePostbacks.spread), target },
        { what: 'such postbacks meanwhile', unit: '', value: besidePostbacks.sent },
        { what: 'submission to label, files at 18 kB/s', unit: 's', value: besideDrips.spread },
        { what: 'ratio of the medians', unit: '', value: ratio(besideDrips.spread), target },
        { what: 'such orders that wait in the end', unit: '', value: besideDrips.left },
        { what: 'submission to label, patterns that paint themselves', unit: 's', value: besideCyclic.spread },
        { what: 'ratio of the medians', unit: '', value: ratio(besideCyclic.spread), target },
        { what: 'such orders that wait in the end', unit: '', value: besideCyclic.left },
        { what: 'submission to label, 60,000 gradients', unit: 's', value: besideShadings.spread },
        { what: 'ratio of the medians', unit: '', value: ratio(besideShadings.spread), target },
        { what: 'such orders that wait in the end', unit: '', value: besideShadings.left },
        { what: 'submission to label, silent files and a hanging partner', unit: 's', value: beside },
        { what: 'ratio of the medians', unit: '', value: ratio(beside), target },
        { what: 'silent and hanging requests meanwhile', unit: '', value: spreadOf([open]) },
        { what: 'submission to label, a backlog besides', unit: 's', value: among },
        { what: 'ratio of the medians with the backlog', unit: '', value: ratio(among), target },
        { what: 'orders of the backlog that wait in the end', unit: '', value: spreadOf([waiting!.count]) },
      ];
    }),
});

const labelsOf = (documents: readonly { readonly type: string }[]) =>
  documents.filter(({ type }) => type === 'label').length;

/** Starts a server that is the file host of both clients, and the partners. */
async function startHosts() {
  const pdf = new PDFDocument({ size: [842, 1191], margin: 0 });
  pdf.rect(100, 100, 640, 990).fill();
  pdf.end();
  const poster = await buffer(pdf);
  const arrivals = new Map<string, (printOrderId: string) => void>();
  const open = new Set<ServerResponse>();
  const requests = new EventEmitter();
  const server = createServer(async (request, response) => {
    const [path, query = ''] = request.url!.slice(1).split('?');
    requests.emit(path!);
    switch (path) {
      case 'poster.pdf':
        // No two files of the measured orders have the same content.
        response.end(Buffer.concat([poster, Buffer.from(`\n% ${query}`)]));
        return;
      case 'cyclic':
        response.end(cyclicPattern(Number(query)));
        return;
      case 'shadings':
        response.end(manyShadings(60_000, Number(query)));
        return;
      case 'drips':
        response.write('%PDF-1.7\n');
        for (; !response.destroyed; await sleep(100)) response.write(Buffer.alloc(1_800, ' '));
        return;
    }
    const body = (await buffer(request)).toString();
    if (request.url === '/silent.pdf' || request.url === `/${HANGING}`) {
      open.add(response);
      response.on('close', () => open.delete(response));
      return;
    }
    response.writeHead(200).end('{}');
    for (const [reference, arrive] of arrivals)
      if (body.includes(`"lastName":"${reference}"`)) arrive(JSON.parse(body).id);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open.size,
    /** Resolves with the next request of a path. */
    requested: (path: string) => once(requests, path),
    /**
     * Resolves with the id of the print order of an order, when a partner gets it. The reference is the last name of the order's
     * address.
     */
    arrival: (reference: string) =>
      new Promise<string>((resolve) => {
        arrivals.set(reference, (printOrderId) => {
          arrivals.delete(reference);
          resolve(printOrderId);
        });
      }),
  };
}
