import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../support/eventually';
import type { TestStack } from '../../support/stack';
import { goodFile } from './client-orders';
import { orderBody } from './order-fixture';

/** An A4 poster whose host sends it from the time on when the test lets it. Until then, its order is not planned. */
export interface HeldFile {
  readonly url: string;
  readonly send: () => void;
}

/** Starts a host of print files before the tests of a file, and ends it after them. */
export function fileHost() {
  const held: { isRequested: boolean; sent: Promise<void> }[] = [];
  const server = createServer((request, response) => {
    const file = held[Number(request.url!.match(/\d+/)![0])]!;
    file.isRequested = true;
    void file.sent
      .then(() => fetch(content))
      .then(async (poster) => {
        response.writeHead(200, { 'content-type': 'application/pdf' }).end(Buffer.from(await poster.arrayBuffer()));
      });
  });
  let content: string;
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function hold(stack: TestStack): HeldFile {
    content = goodFile(stack, 'poster-a4.pdf');
    const { promise: sent, resolve: send } = Promise.withResolvers<void>();
    held.push({ isRequested: false, sent });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/poster-${held.length - 1}.pdf`, send };
  }

  return {
    hold,
    /** Submits an order of a held file, and waits until the file is fetched. @param over members that replace others */
    async submit(stack: TestStack, orderReferenceId: string, over = {}): Promise<{ id: string; send: () => void }> {
      const { url, send } = hold(stack);
      const file = held.at(-1)!;
      const body = orderBody(stack, orderReferenceId);
      const items = body.items.map((item) => ({ ...item, files: [{ type: 'default', url }] }));
      const { id } = await stack.client.submitOrder({ body: { ...body, items, ...over } });
      await eventually(async () => (file.isRequested ? true : undefined));
      return { id, send };
    },
  };
}
