import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can cut its connections, like a network or a load balancer. */
export interface CutProxy {
  readonly port: number;
  /** Resets every connection. @returns the number of connections */
  cut(): number;
  /** Stops the data from the servers until `release`, like a stalled machine. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy on 127.0.0.1.
 * @param port 0 picks a free port
 * @param targets returns local ports; called for each connection. The proxy uses them in turn and skips a port that
 *   does not respond.
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
