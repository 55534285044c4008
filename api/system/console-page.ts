import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Request, type Response, Router } from 'express';
import type { Config } from '../../src/platform/config';
import { Refusal } from '../../src/platform/errors';
import { projectRoot } from '../../src/platform/project-root';

export const CONSOLE_PATH = '/console';

/** Placeholder in the built page (console/vite.config.mts). */
const NONCE = /__CSP_NONCE__/g;
const ASSET = /^\/assets\/[\w.-]+\.(js|css|svg)$/;
const YEAR_SECONDS = 31_536_000;

/**
 * Returns the content security policy of the page. Scripts and styles are files of the build. The style elements that the
 * component library adds carry the nonce. Images are also previews that the page makes (`blob:`), previews of product models,
 * which operators place anywhere (`https:`), and files in the bucket, which signed links redirect to.
 */
function policy(nonce: string, imageSources: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    ["img-src 'self' https: data: blob:", ...imageSources].join(' '),
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Returns the origins of the bucket's presigned links. */
function bucketOrigins({ S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_REGION: region }: Config): string[] {
  if (bucket === undefined) return [];
  const { origin, protocol, host } = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  return [origin, `${protocol}//${bucket}.${host}`];
}

/**
 * Serves the web console: the page at every path below /console, so that each screen can be opened by its address, and the
 * files of the build, whose names contain a hash of their content.
 */
export function consolePage(config: Config): Router {
  const images = bucketOrigins(config);
  const root = join(projectRoot(), 'dist', 'console');
  const router = Router();

  const sendAsset = (req: Request, res: Response) => {
    const file = join(root, req.path);
    if (!ASSET.test(req.path) || !existsSync(file))
      throw new Refusal('NOT_FOUND', { message: 'There is no resource at this path.' });
    res.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`);
    res.setHeader('Vary', 'Accept-Encoding');
    res.type(file.slice(file.lastIndexOf('.')));
    const zipped = req.acceptsEncodings('gzip') === 'gzip';
    if (zipped) res.setHeader('Content-Encoding', 'gzip');
    res.sendFile(zipped ? `${req.path}.gz` : req.path, { root, cacheControl: false });
  };

  const sendPage = (_req: Request, res: Response) => {
    const file = join(root, 'index.html');
    if (!existsSync(file))
      throw new Refusal('NOT_FOUND', { message: 'The console is not built. Run `npm run build`.' });
    const nonce = randomBytes(16).toString('base64url');
    res.setHeader('Content-Security-Policy', policy(nonce, images));
    res.type('html').send(readFileSync(file, 'utf8').replace(NONCE, nonce));
  };

  router.use((req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      throw new Refusal('METHOD_NOT_ALLOWED');
    }
    if (req.path.startsWith('/assets/')) sendAsset(req, res);
    else sendPage(req, res);
  });
  return router;
}
