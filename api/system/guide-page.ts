import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Router } from 'express';
import { Refusal } from '../../src/platform/errors';
import { projectRoot } from '../../src/platform/project-root';

/** Returns the sources of a content security policy that permit the inline scripts of a page. */
function inlineScripts(html: string): string[] {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, text]) => text!);
  return [...new Set(scripts)].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
}

/**
 * Serves the documentation site at /guide, where `npm run docs` has built it. The pages of the site have equal inline
 * scripts, which set the color scheme before the first paint.
 * @param folder of the built site
 */
export function guidePage(folder = join(projectRoot(), 'dist', 'guide')): Router {
  const router = express.Router();
  router.use((_req, res, next) => {
    const page = join(folder, 'index.html');
    if (!existsSync(page))
      throw new Refusal('NOT_FOUND', {
        message: 'The documentation site is not built. Run `npm run docs`, and reload the page.',
      });
    const scripts = ["script-src 'self'", ...inlineScripts(readFileSync(page, 'utf8'))].join(' ');
    const policy = `default-src 'self'; ${scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`;
    res.setHeader('Content-Security-Policy', policy);
    next();
  });
  router.use(express.static(folder, { cacheControl: false }));
  return router;
}
