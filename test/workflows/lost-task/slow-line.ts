import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowLine {
  readonly address: string;
  /** From now on nothing of what the server says arrives; what has been held back arrives on `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** A way to a server whose answers can be held up, as by a machine that stands still. */
export async function slowLine(to: string): Promise<SlowLine> {
  const [host, port] = to.split(':') as [string, string];
  const ends = new Set<Socket>();
  const answers = new Set<Socket>();
  let held = false;
  const proxy = createServer((client) => {
    const server = connect(Number(port), host);
    for (const end of [client, server]) {
      ends.add(end);
      end
        .on('error', () => undefined)
        .on('close', () => {
          ends.delete(end);
          answers.delete(end);
          client.destroy();
          server.destroy();
        });
    }
    client.pipe(server);
    answers.add(server);
    server.on('data', (chunk) => client.write(chunk));
    if (held) server.pause();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    hold: () => {
      held = true;
      for (const server of answers) server.pause();
    },
    release: () => {
      held = false;
      for (const server of answers) server.resume();
    },
    close: async () => {
      for (const end of ends) end.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
