import { type ChildProcess, fork } from 'node:child_process';
import type { CredentialsFile } from '../../cli/credentials';
import { type ShippedOrders, startSimulatedShop } from './simulated-shop';

/** The simulated shop and its partners in a process of their own, so that their CPU time is not Pressline's. */
export interface ShopProcess {
  /** Takes orders from submission to shipped. */
  run(orders: number, atOnce: number): Promise<ShippedOrders>;
  stop(): Promise<void>;
}

type Credentials = Pick<CredentialsFile, 'baseUrl' | 'client' | 'partners'>;
type Request = { readonly credentials: Credentials } | { readonly orders: number; readonly atOnce: number };

export async function startShopProcess({ baseUrl, client, partners }: Credentials): Promise<ShopProcess> {
  const child = fork(__filename, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const credentials = { baseUrl, client, partners };
  await requestOf(child, { credentials });
  return {
    run: async (orders, atOnce) => (await requestOf(child, { orders, atOnce })) as ShippedOrders,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await ended;
    },
  };
}

/** Sends a request to the process. @returns its answer */
async function requestOf(child: ChildProcess, request: Request): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the process of the simulated shop has ended'));
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.off('exit', ended);
      resolve(answer);
    });
    child.send(request);
  });
}

/** The process. Its first message has the credentials, each later one requests orders. */
function serve(): void {
  let shop: ReturnType<typeof startSimulatedShop>;
  const answerTo = async (request: Request): Promise<object> => {
    if (!('credentials' in request)) return await (await shop).run(request.orders, request.atOnce);
    shop = startSimulatedShop(request.credentials);
    await shop;
    return {};
  };
  process.on('message', (request: Request) => {
    answerTo(request).then(
      (answer) => process.send!(answer),
      (error: unknown) => {
        process.stderr.write(`the shop failed: ${(error as Error).stack ?? String(error)}\n`);
        process.exit(1);
      },
    );
  });
  process.on('disconnect', () => process.exit());
}

if (require.main === module) serve();
