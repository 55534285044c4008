import type { Operations } from '../../../client/operations';
import { eventually } from '../../support/eventually';
import type { TestClient, TestStack } from '../../support/stack';

/** Order bodies of a client, and helpers that submit and read orders over HTTP. */

export type Order = Operations['getOrder']['response'];
export type OrderBody = NonNullable<Operations['submitOrder']['input']['body']>;

export const POSTER = 'flat_product_pf_a4_pt_200-gsm-uncoated_cl_4-0_ver';
export const T_SHIRT = 'apparel_product_gca_t-shirt_gsi_m_gco_white_gpr_4-4';
export const FRAMED_POSTER = 'framed_poster_product_mf_300x400-mm_fr_wood-oak_pt_200-gsm-uncoated_ver';
export const STICKER = 'sticker_product_sf_75x75-mm';
/** Takes files of any type. */
export const DIE_CUT_STICKER = 'die_cut_sticker_product_sf_75x75-mm';

export const address = {
  country: 'DE',
  firstName: 'Ada',
  lastName: 'Lovelace',
  addressLine1: 'Torstrasse 1',
  city: 'Berlin',
  postCode: '10119',
  email: 'ada@example.com',
  phone: '+49 30 901820',
};
export const addressIn = {
  DE: address,
  FR: { ...address, country: 'FR', city: 'Paris', postCode: '75003', phone: '+33 1 42 72 23 45' },
  CH: { ...address, country: 'CH', city: 'Bern', postCode: '3011', phone: '+41 31 321 61 11' },
  VN: { ...address, country: 'VN', city: 'Hanoi', postCode: '100000', phone: '+84 24 3825 2142' },
  US: {
    ...address,
    country: 'US',
    city: 'Columbus',
    postCode: '43215',
    state: 'OH',
    phone: '+1 614 555 0123',
  },
} as const;

/** Returns the URL of a valid print file in the sandbox. */
export const goodFile = (stack: TestStack, name: string) => `${stack.sandbox.url}/files/${name}`;
/** Returns the URL of a faulty print file in the sandbox. The query has options. */
export const faultyFile = (stack: TestStack, name: string) => `${stack.sandbox.url}/faulty-files/${name}`;

export const poster = (stack: TestStack, over: Partial<OrderBody['items'][number]> = {}) => ({
  itemReferenceId: 'poster',
  productUid: POSTER,
  quantity: 1,
  files: [{ type: 'default', url: goodFile(stack, 'poster-a4.pdf') }],
  ...over,
});

export const sticker = (stack: TestStack, over: Partial<OrderBody['items'][number]> = {}) => ({
  itemReferenceId: 'sticker',
  productUid: STICKER,
  quantity: 1,
  files: [{ type: 'default', url: goodFile(stack, 'sticker-75.png') }],
  ...over,
});

/** Printed in Ohio on a blank shirt from stock. */
export const tShirt = (stack: TestStack, over: Partial<OrderBody['items'][number]> = {}) => ({
  itemReferenceId: 't-shirt',
  productUid: T_SHIRT,
  quantity: 1,
  files: [
    { type: 'front', url: goodFile(stack, 't-shirt-front.png') },
    { type: 'back', url: goodFile(stack, 't-shirt-back.png') },
  ],
  ...over,
});

/** Printed in Berlin, mounted in a frame from stock. */
export const framedPoster = (stack: TestStack, over: Partial<OrderBody['items'][number]> = {}) => ({
  itemReferenceId: 'framed-poster',
  productUid: FRAMED_POSTER,
  quantity: 1,
  files: [{ type: 'default', url: goodFile(stack, 'frame-poster-30x40.jpg') }],
  ...over,
});

let orders = 0;

/** An order of one poster to Berlin. */
export const orderOf = (stack: TestStack, over: Partial<OrderBody> = {}): OrderBody => {
  orders += 1;
  return {
    orderReferenceId: `run-${orders}`,
    currency: 'EUR',
    shippingAddress: address,
    items: [poster(stack)],
    ...over,
  };
};

export const read = (client: TestClient, orderId: string): Promise<Order> => client.getOrder({ params: { orderId } });

/** Reads an order until it meets a condition. @throws Error with its state after the timeout */
export async function readUntil(client: TestClient, orderId: string, isSo: (order: Order) => boolean): Promise<Order> {
  let order: Order;
  return await eventually(
    async () => {
      order = await read(client, orderId);
      return isSo(order) ? order : undefined;
    },
    () => `the order did not become what was awaited from ${inBrief(order)}`,
  );
}

const inBrief = ({ fulfillmentStatus, refusalReason, refusalReasonDetails, items, eventLog }: Order) =>
  JSON.stringify({
    fulfillmentStatus,
    refusalReason,
    refusalReasonDetails,
    items: items.map((item) => [item.itemReferenceId, item.fulfillmentStatus]),
    eventLog,
  });

export const isAt =
  (...statuses: Order['fulfillmentStatus'][]) =>
  (order: Order): boolean =>
    statuses.includes(order.fulfillmentStatus);

/** Submits an order and reads it until it meets a condition. Default: it is delivered or failed. */
export async function ordered(
  stack: TestStack,
  body: OrderBody,
  isSo: (order: Order) => boolean = isAt('delivered', 'failed'),
  client: TestClient = stack.client,
): Promise<Order> {
  const { id } = await client.submitOrder({ body });
  return await readUntil(client, id, isSo);
}

/** Starts all runs at the same time. A failed run rejects where it is awaited. */
export function atOnce<K extends string, T>(runs: Record<K, () => Promise<T>>): Record<K, Promise<T>> {
  const started = Object.fromEntries(
    Object.entries<() => Promise<T>>(runs).map(([name, run]) => [name, run()]),
  ) as Record<K, Promise<T>>;
  for (const run of Object.values<Promise<T>>(started)) run.catch(() => undefined);
  return started;
}
