import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../support/eventually';
import type { TestStack } from '../../support/stack';
import { goodFile } from './client-orders';
import { orderBody } from './order-fixture';

/** A host of print files that sends each file when the test lets it. */
export async function startFileHost() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => void waiting.push(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/poster.pdf`;
  return {
    /**
     * Submits an order and waits until its print file is fetched.
     * @returns its id, and what sends the file
     */
    async submit(stack: TestStack, orderReferenceId: string): Promise<{ id: string; sendFile: () => void }> {
      const body = orderBody(stack, orderReferenceId);
      const items = body.items.map((item) => ({ ...item, files: [{ type: 'default', url }] }));
      const { id } = await stack.client.submitOrder({ body: { ...body, items } });
      const response = await eventually(() => Promise.resolve(waiting.shift()));
      const content = Buffer.from(await (await fetch(goodFile(stack, 'poster-a4.pdf'))).arrayBuffer());
      return { id, sendFile: () => void response.writeHead(200, { 'content-type': 'application/pdf' }).end(content) };
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
