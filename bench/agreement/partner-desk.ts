import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';

/** A message to a partner: a print order, an order update, or a cancel request. */
export interface PartnerMessage {
  readonly kind: 'orders' | 'updates' | 'cancels';
  // biome-ignore lint/suspicious/noExplicitAny: the check reads single fields of three schemas
  readonly body: any;
}

/** The endpoints of all print partners, and a file host. The partners accept everything, and keep what they receive. */
export interface PartnerDesk {
  readonly url: string;
  /** Messages about a print order, oldest first, without repeated ones. */
  messages(printOrderId: string): readonly PartnerMessage[];
  stop(): Promise<void>;
}

export async function openPartnerDesk(): Promise<PartnerDesk> {
  const received = new Map<string, PartnerMessage[]>();
  const files = new Map([
    ['/files/one.pdf', await pdfOf(1)],
    ['/files/two.pdf', await pdfOf(1)],
    ['/files/book.pdf', await pdfOf(24)],
  ]);
  const server = createServer(async (request, response) => {
    const file = files.get(request.url!);
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(file);
      return;
    }
    const kind = request.url!.split('/').at(-1) as PartnerMessage['kind'];
    const body = (await json(request)) as { id?: string; orderId?: string; revision?: number };
    const id = body.id ?? body.orderId!;
    const before = received.get(id) ?? [];
    // A message can be repeated, also after a newer one: a print order after its cancellation, when its response was lost.
    const isRepeated = before.some((each) =>
      kind === 'orders' ? each.kind === kind : kind === 'updates' && each.body.revision >= body.revision!,
    );
    if (!isRepeated) received.set(id, [...before, { kind, body }]);
    response.writeHead(200).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: (printOrderId) => received.get(printOrderId) ?? [],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function pdfOf(pages: number): Promise<Buffer> {
  const pdf = new PDFDocument({ size: [842, 1191], margin: 0, autoFirstPage: false });
  for (let page = 1; page <= pages; page += 1) pdf.addPage().rect(100, 100, 640, 990).fill();
  pdf.end();
  return await buffer(pdf);
}

/** The units of an item in a print order or an update, by job id. A bundle is one item, under each of its parts' ids. */
interface ItemBody {
  readonly id?: string;
  readonly count?: number;
  readonly parts?: readonly { readonly id?: string; readonly count: number }[];
}

/**
 * Returns the units that a partner has to make by what it has been told, by the ids of jobs and their parts.
 * @param left ids of what had left before the last update
 */
export function unitsAsTold(messages: readonly PartnerMessage[]): Map<string, number> {
  let told = new Map<string, number>();
  for (const { kind, body } of messages) {
    if (kind === 'cancels') for (const id of body.canceledPrintJobIdList as string[]) told.set(id, 0);
    else
      told = new Map(
        (body.items as ItemBody[]).flatMap((item): [string, number][] =>
          item.parts === undefined
            ? [[item.id!, item.count!]]
            : item.parts.flatMap(({ id, count }): [string, number][] => (id === undefined ? [] : [[id, count]])),
        ),
      );
  }
  return told;
}
