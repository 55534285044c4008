import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { isHealthy } from '../../packages/embedded-servers/supervisor';

/** Interval of the health checks. Shorter than SHUTDOWN_DELAY, in which a stopping API still accepts requests. */
const CHECK_MS = 500;

/** A response with status 500 or above, or a request without a response (status 502). */
export interface FailedResponse {
  readonly at: number;
  readonly request: string;
  readonly status: number;
}

/** A reverse proxy that sends each request to the next ready API process. */
export interface LoadBalancer {
  readonly port: number;
  /** Number of responses since the start. */
  responses(): number;
  readonly failed: readonly FailedResponse[];
  close(): Promise<void>;
}

/**
 * Starts a reverse proxy on 127.0.0.1. It probes `/readyz` of each target, and passes a request to another target only when the
 * connection was refused, so that no request is carried out twice.
 * @param targets ports of the API processes
 */
export async function startLoadBalancer(port: number, targets: readonly number[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const ready = new Set<number>();
  const failed: FailedResponse[] = [];
  let responses = 0;
  let turn = 0;

  const check = async (target: number) => {
    if (await isHealthy(`http://127.0.0.1:${target}/readyz`)) ready.add(target);
    else ready.delete(target);
  };
  const timers = targets.map((target) => setInterval(() => void check(target), CHECK_MS));

  function end(incoming: IncomingMessage, status: number): void {
    responses += 1;
    if (status >= 500)
      failed.push({ at: Date.now(), request: `${incoming.method} ${incoming.url?.split('?')[0]}`, status });
  }

  function refuse(incoming: IncomingMessage, outgoing: ServerResponse): void {
    end(incoming, 502);
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502, { 'content-type': 'application/json' }).end('{"message":"no API is ready"}');
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    turn += 1;
    // Without a ready target, the API's own response names what is unavailable.
    const usable = ready.size > 0 ? targets.filter((target) => ready.has(target)) : targets;
    const next = (tried: number) => {
      if (tried === usable.length) return refuse(incoming, outgoing);
      const target = usable[(turn + tried) % usable.length]!;
      const { method, url: path, headers } = incoming;
      const passed = request({ host: '127.0.0.1', port: target, method, path, headers, agent });
      passed.once('response', (response) => {
        const { connection: _hop, ...kept } = response.headers;
        end(incoming, response.statusCode!);
        outgoing.writeHead(response.statusCode!, kept);
        response.pipe(outgoing);
        response.once('error', () => refuse(incoming, outgoing));
      });
      passed.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') next(tried + 1);
        else refuse(incoming, outgoing);
      });
      passed.end(body);
    };
    next(0);
  }

  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    responses: () => responses,
    failed,
    async close() {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}
