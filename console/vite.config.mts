import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The API that the development server passes calls on to. */
const api = process.env.PRESSLINE_URL ?? 'http://localhost:3000';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [react()],
  // The API replaces the placeholder in each answer.
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
  server: { proxy: { '^/(v1|v2|v3|product|documents|openapi.json|docs)': { target: api } } },
});
