import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from '../src/platform/logging/logging';
import { type CarrierEntry, createCarriers } from './carriers/carriers';
import { controlRoutes, type Seen } from './control';
import { faultyFileRoutes } from './files/faulty-files';
import { printFileRoutes } from './files/print-files';
import { openJournal } from './journal';
import { createOutbound } from './outbound';
import type { OverviewSources } from './overview';
import type { Pace } from './pace';
import { createPartner, type Partner, type PartnerUrls, partnerUrlsAt } from './partners/partner';
import type { Mode } from './partners/partner-context';
import type { PartnerEntry } from './partners/partner-record';
import { noFaults } from './set-faults';

export type { Seen } from './control';
export { FAST, type Pace, WATCHABLE } from './pace';
export type { PartnerUrls } from './partners/partner';
export type { Mode } from './partners/partner-context';
export type { SeenPrintOrder } from './partners/seen';

export interface SandboxOptions {
  /**
   * 0 picks a free port. Keep the port over restarts: the addresses of print files and partners contain it. A server that
   * listens on the port already gives it up to the sandbox.
   */
  readonly port: number | NetServer;
  /** Address of Pressline's API, without a trailing slash. */
  readonly presslineUrl: string;
  /** Folder of the journal. A sandbox that starts with an existing journal continues where the last one stopped. */
  readonly folder: string;
  readonly mode: Mode;
  readonly partners: readonly { readonly name: string; readonly apiKey: string }[];
  /** Sign the tracking events of each carrier, by its uid: `whsec_` and base64. */
  readonly carrierSecrets: Readonly<Record<string, string>>;
  /** `FAST` for tests, `WATCHABLE` for people. */
  readonly pace: Pace;
  readonly log: Logger;
}

export interface Sandbox {
  readonly url: string;
  readonly port: number;
  readonly controlUrl: string;
  partnerUrls(name: string): PartnerUrls;
  /** Resolves when Pressline has accepted the subscription of every partner. Subscriptions are retried. */
  readonly subscribed: Promise<void>;
  seen(): Seen;
  /** Ends the pause of a partner before the next step of a print order. Call it until the step shows. */
  endPause(printOrderId: string): void;
  /** Stops at once. Unfinished work stays in the journal. */
  stop(): Promise<void>;
}

type JournalEntry = { at: string } & (
  | { partner: string; entry: PartnerEntry }
  | { partner?: undefined; entry: CarrierEntry }
);

/**
 * Starts print-file hosts (good and faulty), print partners, carriers, and a control API.
 * The sandbox listens before it subscribes, so that Pressline may start after it.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { presslineUrl, pace, mode } = options;
  const log = options.log.child({ part: 'sandbox' });
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every call and pause adds a listener. Thousands at a time are normal.
  setMaxListeners(0, signal);

  const { journal, entries, torn } = openJournal<JournalEntry>(options.folder);
  if (torn) log.warn('dropped an incomplete last line of the journal');
  const write = (line: Omit<JournalEntry, 'at'>) =>
    journal.append({ at: new Date().toISOString(), ...line } as JournalEntry);

  const outbound = createOutbound({ presslineUrl, pace, signal, log });
  const shared = { outbound, pace, signal, log };
  const carriers = createCarriers({
    ...shared,
    secrets: options.carrierSecrets,
    apiKeys: new Map(options.partners.map(({ name, apiKey }) => [name, apiKey])),
    moving: mode === 'auto',
    entries: entries.flatMap((line) => (line.partner === undefined ? [line.entry] : [])),
    write: (entry) => write({ entry }),
  });
  const partners = new Map<string, Partner>(
    options.partners.map(({ name, apiKey }) => [
      name,
      createPartner({
        ...shared,
        name,
        apiKey,
        mode,
        carriers,
        entries: entries.flatMap((line) => (line.partner === name ? [line.entry] : [])),
        write: (entry) => write({ partner: name, entry }),
      }),
    ]),
  );
  const seen = (): Seen => ({
    partners: Object.fromEntries([...partners].map(([name, partner]) => [name, partner.seen()])),
    parcels: carriers.seen(),
  });

  const server = createServer(
    createSandboxApp({
      mode,
      partners,
      carriers,
      carrierUids: Object.keys(options.carrierSecrets),
      faults: noFaults(),
      seen,
      signal,
      log,
    }),
  );
  const port = await listen(server, options.port);
  const url = `http://127.0.0.1:${port}`;
  const partnerUrls = (name: string): PartnerUrls => partnerUrlsAt(`${url}/partners/${name}`);
  log.info({ url, mode }, 'sandbox is listening');

  if (mode === 'auto') {
    for (const partner of partners.values()) partner.resume();
    carriers.resume();
  }
  const subscribing = mode === 'off' ? [] : [...partners.values()];
  const subscribed = Promise.all(subscribing.map((partner) => partner.subscribe(partnerUrls(partner.name)))).then(
    () => undefined,
  );
  subscribed.catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'subscription failed');
  });

  return {
    url,
    port,
    controlUrl: `${url}/control`,
    partnerUrls,
    subscribed,
    seen,
    endPause(printOrderId) {
      for (const partner of partners.values()) partner.endPause(printOrderId);
    },
    async stop() {
      // Close connections first: no request may get a response after the journal has closed.
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      stopping.abort();
      await closed;
      await outbound.close();
      journal.close();
    },
  };
}

function createSandboxApp({
  seen,
  signal,
  log,
  ...sandbox
}: Omit<OverviewSources, 'url'> & {
  seen: () => Seen;
  signal: AbortSignal;
  log: Logger;
}): Express {
  const app = express().disable('x-powered-by');
  app.use(printFileRoutes(sandbox.faults.files), faultyFileRoutes(signal), controlRoutes(sandbox, seen));
  for (const partner of sandbox.partners.values()) app.use(partner.routes);
  app.use((error: Error & { status?: number }, request: Request, response: Response, _next: NextFunction) => {
    const status = error.status ?? 500;
    if (status >= 500 && !signal.aborted) log.error({ err: error, path: request.path }, 'sandbox request failed');
    if (response.headersSent) response.destroy();
    else response.status(status).json({ error: error.message });
  });
  return app;
}

/** Returns the port that the server listens on. */
async function listen(server: Server, port: number | NetServer): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (typeof port === 'number') server.listen(port, '127.0.0.1', resolve);
    else server.listen(port, resolve);
  });
  return (server.address() as AddressInfo).port;
}
