import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import express, { type Request, type Response, Router } from 'express';
import type { Role } from '../../src/accounts/account';
import { NOTIFICATION_EVENTS, OPERATOR_EVENTS } from '../../src/notifications/domain/event-schemas';
import { Refusal } from '../../src/platform/errors';
import { projectRoot } from '../../src/platform/project-root';
import type { ApiDeps } from '../deps';
import { openApiDocument } from '../http/openapi-document';
import { EXAMPLE_FILE_URL } from '../http/openapi-examples';
import type { Route } from '../http/route';

const EVENTS: Readonly<Record<Role, readonly string[]>> = {
  client: NOTIFICATION_EVENTS,
  partner: [],
  operator: OPERATOR_EVENTS,
};

/** Returns the routes that callers of a role may call, with the open routes among their tags. */
function routesOf(role: Role, routes: readonly Route[]): Route[] {
  const own = routes.filter(({ access }) => access.credentials !== 'none' && access.roles.includes(role));
  const tags = new Set(own.map(({ tag }) => tag));
  return routes.filter((route) => own.includes(route) || (route.access.credentials === 'none' && tags.has(route.tag)));
}

/**
 * Returns the OpenAPI document of one role as JSON: its operations, and the messages that it receives.
 * @param sandboxUrl with it, the print file of the examples is one of the sandbox, so that they work when they are sent
 */
function roleDocument(
  role: Role,
  routes: readonly Route[],
  { publicUrl, sandboxUrl }: { readonly publicUrl: string; readonly sandboxUrl: string | undefined },
): string {
  const { webhooks, ...document } = openApiDocument(routesOf(role, routes), publicUrl);
  const received = Object.entries(webhooks as object).filter(([event]) => EVENTS[role].includes(event));
  const text = JSON.stringify({ ...document, webhooks: Object.fromEntries(received) });
  return sandboxUrl === undefined ? text : text.replaceAll(EXAMPLE_FILE_URL, `${sandboxUrl}/files/poster-a3.pdf`);
}

/** The page of each role at /docs/{path}, and what the list of pages says about it. */
const PAGES: Readonly<Record<string, { readonly role: Role; readonly text: string }>> = {
  shops: { role: 'client', text: 'Shops: order prints, follow orders, receive notifications' },
  partners: { role: 'partner', text: 'Print partners: subscribe, report progress, get labels' },
  operators: { role: 'operator', text: 'Operators: accounts, orders, repairs, catalog, stock' },
};

const linkItems = (places: readonly (readonly [path: string, text: string])[]) =>
  places.map(([path, text]) => `<li><a href="${path}">${text}</a></li>`).join('\n');

const links = linkItems([
  ['/docs', 'All operations'],
  ...Object.entries(PAGES).map(([path, { text }]) => [`/docs/${path}`, text] as const),
]);

/** Returns a page in the style of swagger-ui. */
const htmlPage = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
${body}
</body>
</html>
`;

/** @param name of the script that starts the page, such as `partners` */
const page = (name: string) =>
  htmlPage(
    'Pressline API',
    `<nav class="swagger-ui"><div class="wrapper"><ul>
${links}
</ul></div></nav>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/${name}.js"></script>`,
  );

/** Returns the script that shows a document. Keys stay in the page's memory only. */
const start = (url: string, more = {}) => `window.ui = SwaggerUIBundle(${JSON.stringify({
  url,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  displayRequestDuration: true,
  validatorUrl: null,
  ...more,
})});
`;

/** The pages of the API for people: path and text, by the name that the JSON of the start page has. */
const PLACES: Readonly<Record<string, readonly [path: string, text: string]>> = {
  console: ['/console', 'Web console: operators find, understand and repair orders'],
  guide: ['/guide/', 'Guide: tutorials, how-to guides and reference'],
  docs: ['/docs', 'API pages: every operation, with fields, errors and examples'],
  openapi: ['/openapi.json', 'OpenAPI document'],
  schemas: ['/schemas', 'JSON Schemas of the messages to and from print partners'],
};

const SERVICE = 'Pressline, a print fulfillment engine: it takes orders over HTTP and has print partners produce them.';

const START_PAGE = htmlPage(
  'Pressline',
  `<main class="swagger-ui"><div class="wrapper">
<h1>Pressline</h1>
<p>${SERVICE}</p>
<ul>
${linkItems(Object.values(PLACES))}
</ul>
</div></main>`,
);

/** Returns a handler that responds with a page of links to a browser (`Accept: text/html`), and with JSON to everyone else. */
export function startPage({ publicUrl }: Pick<ApiDeps, 'publicUrl'>) {
  const links = Object.fromEntries(Object.entries(PLACES).map(([name, [path]]) => [name, publicUrl + path]));
  return (req: Request, res: Response) => {
    res.vary('Accept');
    if (req.accepts(['json', 'html']) === 'html') res.type('html').send(START_PAGE);
    else res.json({ service: SERVICE, links });
  };
}

/** Files of swagger-ui-dist that the page loads. The package's own index page shows another API and is not served. */
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/**
 * Serves the browsable API document at /docs, and a page of the operations of each role at /docs/{role}. Scripts and styles are
 * files of the installed package: the page needs no network and no inline script, which the content security policy forbids.
 * @param routes those of the document
 */
export function docsPage(deps: Pick<ApiDeps, 'publicUrl' | 'sandboxUrl'>, routes: readonly Route[]): Router {
  // Resolved only: an import would run the browser bundle in this process.
  const root = dirname(require.resolve('swagger-ui-dist/package.json'));
  const router = Router();
  const send = (res: Response, type: string, text: string) => void res.type(type).send(text);
  router.get('/', (_req, res) => send(res, 'html', page('start')));
  router.get('/start.js', (_req, res) => send(res, 'js', start('/openapi.json')));
  for (const [path, { role }] of Object.entries(PAGES)) {
    let text: string | undefined;
    router.get(`/${path}`, (_req, res) => send(res, 'html', page(path)));
    // The schemas of all roles are in /docs.
    const script = start(`/docs/${path}.json`, { defaultModelsExpandDepth: -1 });
    router.get(`/${path}.js`, (_req, res) => send(res, 'js', script));
    router.get(`/${path}.json`, (_req, res) => {
      text ??= roleDocument(role, routes, deps);
      send(res, 'json', text);
    });
  }
  for (const name of ASSETS) {
    router.get(`/${name}`, (_req, res) => {
      res.setHeader('Cache-Control', 'public, max-age=3600');
      res.sendFile(name, { root, cacheControl: false });
    });
  }
  return router;
}

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
