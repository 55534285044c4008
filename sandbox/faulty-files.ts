import { setTimeout as wait } from 'node:timers/promises';
import { type Request, type Response, Router } from 'express';
import { type PrintFileShelf, sendFile } from './print-files';

type Fault = (request: Request, response: Response) => void | Promise<void>;

function numberIn(request: Request, name: string, fallback: number): number {
  const value = Number(request.query[name] ?? fallback);
  return Number.isFinite(value) && value >= 0 ? value : fallback;
}

/**
 * Hosts that a print file must not be trusted to come from: each address is one fault.
 * `recovers.pdf` counts by its `key`, so that two tests do not share a count.
 */
export function faultyFileRoutes(shelf: PrintFileShelf, signal: AbortSignal): Router {
  const asked = new Map<string, number>();
  const good = async () => (await shelf.get('poster-a4.pdf'))!;

  const FAULTS: Readonly<Record<string, Fault>> = {
    /** Answers well, after `?ms=` (10 seconds). */
    'slow.pdf': async (request, response) => {
      await wait(numberIn(request, 'ms', 10_000), undefined, { signal, ref: false });
      sendFile(response, await good());
    },
    /** Begins at once and then drips 1 kB each `?ms=` (1 second): only a limit on the whole transfer ends it. */
    'drips.pdf': async (request, response) => {
      const { data } = await good();
      response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': data.length });
      for (let at = 0; at < data.length && !response.destroyed; at += 1024) {
        response.write(data.subarray(at, at + 1024));
        await wait(numberIn(request, 'ms', 1_000), undefined, { signal, ref: false });
      }
      response.end();
    },
    'missing.pdf': (_request, response) => {
      response.status(404).type('text/plain').send('Not found');
    },
    'forbidden.pdf': (_request, response) => {
      response.status(403).type('text/plain').send('This link has expired');
    },
    'gone.pdf': (_request, response) => {
      response.status(410).type('text/plain').send('Gone');
    },
    'broken.pdf': (_request, response) => {
      response.status(500).type('text/plain').send('Internal error');
    },
    /** 429 with Retry-After: 1, `?failures=` times a `?key=` (2), then good. */
    'busy.pdf': async (request, response) => {
      const key = `busy ${String(request.query.key ?? '')}`;
      const count = (asked.get(key) ?? 0) + 1;
      asked.set(key, count);
      if (count > numberIn(request, 'failures', 2)) sendFile(response, await good());
      else response.status(429).set('Retry-After', '1').type('text/plain').send('Slow down');
    },
    /** 500 `?failures=` times a `?key=` (2), then good. */
    'recovers.pdf': async (request, response) => {
      const key = `recovers ${String(request.query.key ?? '')}`;
      const count = (asked.get(key) ?? 0) + 1;
      asked.set(key, count);
      if (count > numberIn(request, 'failures', 2)) sendFile(response, await good());
      else response.status(500).type('text/plain').send('Not yet');
    },
    /** Says PDF, is a web page. */
    'lies.pdf': (_request, response) => {
      const page = '<!doctype html><title>Sign in</title><p>Please sign in.</p>';
      sendFile(response, { contentType: 'application/pdf', data: Buffer.from(page) });
    },
    /** Says and is named PNG, is a PDF: the content decides, so this one is good for a product that takes PDF. */
    'misnamed.png': async (_request, response) => {
      sendFile(response, { contentType: 'image/png', data: (await good()).data });
    },
    /** Is named and begins like a PDF, is noise. */
    'corrupt.pdf': (_request, response) => {
      const noise = Buffer.alloc(20_000, 'no cross-reference table anywhere. ');
      response.type('application/pdf').send(Buffer.concat([Buffer.from('%PDF-1.7\n'), noise]));
    },
    'empty.pdf': (_request, response) => {
      response.type('application/pdf').send(Buffer.alloc(0));
    },
    /** Sends `?megabytes=` (300) without saying how many. */
    'too-large.pdf': async (request, response) => {
      response.type('application/pdf');
      response.write('%PDF-1.7\n');
      const chunk = Buffer.alloc(1 << 20, ' ');
      for (let sent = 0; sent < numberIn(request, 'megabytes', 300) && !response.destroyed; sent++) {
        if (!response.write(chunk)) {
          await Promise.race([
            new Promise((drained) => response.once('drain', drained)),
            new Promise((closed) => response.once('close', closed)),
          ]);
        }
      }
      response.end();
    },
    /** Says `?megabytes=` (300) in Content-Length and then sends nothing. */
    'claims-large.pdf': (request, response) => {
      const length = numberIn(request, 'megabytes', 300) * (1 << 20);
      response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': length });
      response.write('%PDF-1.7\n');
    },
    /** Redirects to the address where clouds keep machine credentials. */
    'redirect-private.pdf': (_request, response) => {
      response.redirect(302, 'http://169.254.169.254/latest/meta-data/');
    },
    /** Redirects to a good file of this host. */
    'redirect.pdf': (_request, response) => {
      response.redirect(302, '/files/poster-a4.pdf');
    },
    /** Promises the whole file and closes the connection half-way. */
    'breaks-off.pdf': async (_request, response) => {
      const { data } = await good();
      response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': data.length });
      response.write(data.subarray(0, data.length >> 1), () => response.socket?.destroy());
    },
    /** Closes the connection before any answer. */
    'hangs-up.pdf': (_request, response) => {
      response.socket?.destroy();
    },
  };

  const router = Router();
  router.get('/faulty-files', (_request, response) => {
    response.json({ files: Object.keys(FAULTS).map((name) => `/faulty-files/${name}`) });
  });
  router.get('/faulty-files/:name', async (request, response) => {
    const fault = Object.hasOwn(FAULTS, request.params.name)
      ? FAULTS[request.params.name]!
      : FAULTS['missing.pdf']!;
    await fault(request, response);
  });
  return router;
}
