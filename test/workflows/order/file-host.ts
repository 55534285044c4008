import { eventually } from '../../support/eventually';
import { serveHttp } from '../../support/other-systems/http-server';
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
  let origin: string;
  let content: string;
  beforeAll(async () => {
    ({ url: origin } = await serveHttp(async (request, response) => {
      const file = held[Number(request.url!.match(/\d+/)![0])]!;
      file.isRequested = true;
      await file.sent;
      const poster = await fetch(content);
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(Buffer.from(await poster.arrayBuffer()));
    }));
  });

  function hold(stack: TestStack): HeldFile {
    content = goodFile(stack, 'poster-a4.pdf');
    const { promise: sent, resolve: send } = Promise.withResolvers<void>();
    held.push({ isRequested: false, sent });
    return { url: `${origin}/poster-${held.length - 1}.pdf`, send };
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
