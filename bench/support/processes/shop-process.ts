import type { CredentialsFile } from '../../../cli/credentials';
import { type ShippedOrders, startSimulatedShop } from '../simulated-shop';
import { serveRequests, startRequestProcess } from './request-process';

/** The simulated shop and its partners in a process of their own, so that their CPU time is not Pressline's. */
export interface ShopProcess {
  /** Takes orders from submission to shipped. */
  run(orders: number, atOnce: number): Promise<ShippedOrders>;
  stop(): Promise<void>;
}

type Credentials = Pick<CredentialsFile, 'baseUrl' | 'client' | 'partners'>;
type Request = { readonly credentials: Credentials } | { readonly orders: number; readonly atOnce: number };

export async function startShopProcess({ baseUrl, client, partners }: Credentials): Promise<ShopProcess> {
  const { request, stop } = await startRequestProcess(__filename, []);
  await request({ credentials: { baseUrl, client, partners } } satisfies Request);
  return {
    run: async (orders, atOnce) => (await request({ orders, atOnce } satisfies Request)) as ShippedOrders,
    stop,
  };
}

/** The process. Its first request has the credentials, each later one asks for orders. */
function serve(): void {
  let shop: ReturnType<typeof startSimulatedShop>;
  process.on('disconnect', () => process.exit());
  serveRequests<Request>(async (request) => {
    if (!('credentials' in request)) return await (await shop).run(request.orders, request.atOnce);
    shop = startSimulatedShop(request.credentials);
    await shop;
    return null;
  });
}

if (require.main === module) serve();
