import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type ProxyOptions } from 'vite';

/** The API that the development server passes calls on to. */
const api = process.env.PRESSLINE_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`;

/** Responds with 502 while the API is unavailable, as a reverse proxy does. The console then reconnects. Vite responds with 500. */
const respondBadGateway: ProxyOptions['configure'] = (proxy) => {
  proxy.on('error', (_error, _req, res) => {
    if ('writeHead' in res && !res.headersSent) res.writeHead(502).end();
  });
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [react()],
  // The API replaces the placeholder in each response.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // Inlined assets would be data: addresses, which the content security policy forbids for everything but images.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    // The host of the API: a browser sends the session cookie to every port of it.
    host: '127.0.0.1',
    proxy: {
      '^/(v1|v2|v3|product|documents|openapi.json|docs)': { target: api, configure: respondBadGateway },
    },
  },
});
