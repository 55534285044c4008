import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections can be cut, as a network or a load balancer would. */
export interface CutProxy {
  readonly port: number;
  /** Resets every connection there is. @returns how many */
  cut(): number;
  /** Of what the servers say nothing arrives before `release`, as at a machine that stands still. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/**
 * @param port 0 picks a free one
 * @param targets ports on this machine, asked anew for each connection; they take turns, and one that does not answer
 *   is passed over
 */
export async function startCutProxy(port: number, targets: () => readonly number[]): Promise<CutProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let turn = 0;
  let held = false;

  function join(inbound: Socket, outbound: Socket): void {
    const pair = [inbound, outbound] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [outbound, inbound]] as const) {
      if (from === inbound || !held) from.pipe(to);
      from.on('error', () => undefined);
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
    if (inbound.destroyed) outbound.destroy();
  }

  const server = createServer({ noDelay: true }, (inbound) => {
    inbound.on('error', () => undefined);
    const candidates = targets();
    turn += 1;
    const tryNext = (tried: number) => {
      if (tried >= candidates.length || inbound.destroyed) {
        inbound.destroy();
        return;
      }
      const outbound = connect({
        port: candidates[(turn + tried) % candidates.length]!,
        host: '127.0.0.1',
        noDelay: true,
      });
      outbound.once('error', () => tryNext(tried + 1));
      outbound.once('connect', () => {
        outbound.removeAllListeners('error');
        join(inbound, outbound);
      });
    };
    tryNext(0);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

  const cut = () => {
    const count = pairs.size;
    for (const pair of [...pairs]) for (const socket of pair) socket.resetAndDestroy();
    return count;
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    hold() {
      held = true;
      for (const [inbound, outbound] of pairs) outbound.unpipe(inbound);
    },
    release() {
      held = false;
      for (const [inbound, outbound] of pairs) outbound.pipe(inbound);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
