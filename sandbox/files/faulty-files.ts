import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Request, type Response, Router } from 'express';
import { manyPages, manyScans, pngBomb } from './exhausting-files';
import { FAULTS, type HostFaultName } from './faults';
import { printFile, sendFile } from './print-files';
import { printPdf } from './print-pdf';
import { UNFIT_FILES } from './unfit-files';

type Fault = (request: Request, response: Response) => void | Promise<void>;

const plain =
  (status: number, text: string): Fault =>
  (_request, response) =>
    void response.status(status).type('text/plain').send(text);

function numberIn(request: Request, name: string, fallback: number): number {
  const value = Number(request.query[name] ?? fallback);
  return Number.isFinite(value) && value >= 0 ? value : fallback;
}

/**
 * Routes of a faulty file host: each file name is one fault.
 * Files that fail a few times count requests by `key`, so that tests do not share a count.
 */
export function faultyFileRoutes(signal: AbortSignal): Router {
  const requests = new Map<string, number>();
  /** Counts a request of a file, and returns true while its `key` has not failed often enough. */
  const stillFails = (request: Request, failures: number) => {
    const key = `${request.path} ${String(request.query.key ?? '')}`;
    const count = (requests.get(key) ?? 0) + 1;
    requests.set(key, count);
    return count <= numberIn(request, 'failures', failures);
  };
  /** The file that is served in the end: an A4 poster, or the one that `as` names. */
  const good = async ({ query }: Request) => {
    const named = typeof query.as === 'string' ? await printFile(query.as) : undefined;
    return named ?? (await printFile('poster-a4.pdf'))!;
  };

  const responses: Readonly<Record<HostFaultName, Fault>> = {
    'slow.pdf': async (request, response) => {
      await wait(numberIn(request, 'ms', 10_000), undefined, { signal, ref: false });
      sendFile(response, await good(request));
    },
    'drips.pdf': async (request, response) => {
      if (!stillFails(request, Number.POSITIVE_INFINITY)) return sendFile(response, await good(request));
      const { data } = await good(request);
      response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': data.length });
      for (let at = 0; at < data.length && !response.destroyed; at += 1024) {
        response.write(data.subarray(at, at + 1024));
        await wait(numberIn(request, 'ms', 1_000), undefined, { signal, ref: false });
      }
      response.end();
    },
    'missing.pdf': plain(404, 'Not found'),
    'forbidden.pdf': plain(403, 'This link has expired'),
    'gone.pdf': plain(410, 'Gone'),
    'broken.pdf': plain(500, 'Internal error'),
    'busy.pdf': async (request, response) => {
      if (!stillFails(request, 2)) sendFile(response, await good(request));
      else plain(429, 'Slow down')(request, response.set('Retry-After', String(numberIn(request, 'seconds', 1))));
    },
    'recovers.pdf': async (request, response) => {
      if (!stillFails(request, 2)) sendFile(response, await good(request));
      else plain(500, 'Not yet')(request, response);
    },
    'silent.pdf': async (request, response) => {
      if (!stillFails(request, 1)) sendFile(response, await good(request));
    },
    'lies.pdf': (_request, response) => {
      const page = '<!doctype html><title>Sign in</title><p>Please sign in.</p>';
      sendFile(response, { contentType: 'application/pdf', data: Buffer.from(page) });
    },
    'misnamed.png': async (request, response) => {
      sendFile(response, { contentType: 'image/png', data: (await good(request)).data });
    },
    'corrupt.pdf': (_request, response) => {
      const noise = Buffer.alloc(20_000, 'no cross-reference table anywhere. ');
      response.type('application/pdf').send(Buffer.concat([Buffer.from('%PDF-1.7\n'), noise]));
    },
    'protected.pdf': async (_request, response) => {
      const password = { userPassword: 'secret', pdfVersion: '1.7' as const };
      const pdf = {
        title: 'Secret hills',
        widthMm: 210,
        heightMm: 297,
        bleedMm: 3,
        pages: 1,
        seed: 0,
        options: password,
      };
      response.type('application/pdf').send(Buffer.from(await printPdf(pdf)));
    },
    'cut.jpg': async (_request, response) => {
      const { data } = (await printFile('poster-a3.jpg'))!;
      const end = Buffer.from('ffd9', 'hex');
      response.type('image/jpeg').send(Buffer.concat([data.subarray(0, data.length >> 1), end]));
    },
    'zipped.pdf': async (request, response) => {
      const { contentType, data } = await good(request);
      sendFile(response.set('Content-Encoding', 'gzip'), { contentType, data: gzipSync(data) });
    },
    'empty.pdf': (_request, response) => {
      response.type('application/pdf').send(Buffer.alloc(0));
    },
    'many-pages.pdf': (_request, response) => {
      response.type('application/pdf').send(manyPages(3));
    },
    'bomb.png': async (_request, response) => {
      response.type('image/png').send(await pngBomb(40_000));
    },
    'many-scans.jpg': (request, response) => {
      response.type('image/jpeg').send(manyScans(Math.min(numberIn(request, 'scans', 1_000), 10_000)));
    },
    'too-large.pdf': async (request, response) => {
      response.type('application/pdf');
      response.write('%PDF-1.7\n');
      const chunk = Buffer.alloc(1 << 20, ' ');
      const closed = new Promise((resolve) => response.once('close', resolve));
      for (let sent = 0; sent < numberIn(request, 'megabytes', 300) && !response.destroyed; sent++) {
        if (!response.write(chunk)) {
          await Promise.race([new Promise((drained) => response.once('drain', drained)), closed]);
        }
      }
      response.end();
    },
    'claims-large.pdf': (request, response) => {
      const length = numberIn(request, 'megabytes', 300) * (1 << 20);
      response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': length });
      response.write('%PDF-1.7\n');
    },
    'redirect-private.pdf': (_request, response) => {
      response.redirect(302, 'http://169.254.169.254/latest/meta-data/');
    },
    'redirect.pdf': (_request, response) => {
      response.redirect(302, '/files/poster-a4.pdf');
    },
    'breaks-off.pdf': async (request, response) => {
      const { data } = await good(request);
      response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': data.length });
      response.write(data.subarray(0, data.length >> 1), () => response.socket?.destroy());
    },
    'hangs-up.pdf': (_request, response) => {
      response.socket?.destroy();
    },
  };

  const router = Router();
  router.get('/faulty-files', (_request, response) => {
    response.json({ files: Object.keys(FAULTS).map((name) => `/faulty-files/${name}`) });
  });
  router.get('/faulty-files/:name', async (request, response) => {
    const { name } = request.params;
    if (Object.hasOwn(UNFIT_FILES, name)) return sendFile(response, (await printFile(name))!);
    const known = Object.hasOwn(responses, name) ? (name as HostFaultName) : 'missing.pdf';
    await responses[known](request, response);
  });
  return router;
}
