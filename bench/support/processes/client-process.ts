import type { CredentialsFile } from '../../../cli/credentials';
import { type ShippedOrders, startSimulatedClient } from '../simulated-client';
import { serveRequests, startRequestProcess } from './request-process';

/** The simulated client and its partners in a process of their own, so that their CPU time is not Pressline's. */
export interface ClientProcess {
  readonly pid: number;
  /** Takes orders from submission to shipped. */
  run(orders: number, atOnce: number): Promise<ShippedOrders>;
  stop(): Promise<void>;
}

type Credentials = Pick<CredentialsFile, 'baseUrl' | 'client' | 'partners'>;
type Request = { readonly credentials: Credentials } | { readonly orders: number; readonly atOnce: number };

export async function startClientProcess({ baseUrl, client, partners }: Credentials): Promise<ClientProcess> {
  const { pid, request, stop } = await startRequestProcess(__filename, []);
  await request({ credentials: { baseUrl, client, partners } } satisfies Request);
  return {
    pid,
    run: async (orders, atOnce) => (await request({ orders, atOnce } satisfies Request)) as ShippedOrders,
    stop,
  };
}

/** The process. Its first request has the credentials, each later one submits orders. */
function serve(): void {
  let client: ReturnType<typeof startSimulatedClient>;
  process.on('disconnect', () => process.exit());
  serveRequests<Request>(async (request) => {
    if (!('credentials' in request)) return await (await client).run(request.orders, request.atOnce);
    client = startSimulatedClient(request.credentials);
    await client;
    return null;
  });
}

if (require.main === module) serve();
