import { dirname } from 'node:path';
import { type Response, Router } from 'express';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pressline API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** Files of swagger-ui-dist that the page loads. The package's own index page shows another API and is not served. */
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/**
 * Serves the browsable API document at /docs. Scripts and styles are files of the installed package: the page needs no
 * network and no inline script, which the content security policy forbids.
 */
export function docsPage(): Router {
  // Resolved only: an import would run the browser bundle in this process.
  const root = dirname(require.resolve('swagger-ui-dist/package.json'));
  const router = Router();
  const send = (res: Response, type: string, text: string) => void res.type(type).send(text);
  router.get('/', (_req, res) => send(res, 'html', PAGE));
  router.get('/start.js', (_req, res) => send(res, 'js', START));
  for (const name of ASSETS) {
    router.get(`/${name}`, (_req, res) => {
      res.setHeader('Cache-Control', 'public, max-age=3600');
      res.sendFile(name, { root, cacheControl: false });
    });
  }
  return router;
}
