/**
 * The nonce that the content security policy of this page accepts for style elements. Empty under the development server,
 * which sends no policy.
 */
export const cspNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

declare global {
  var __webpack_nonce__: string;
}

// The library that locks scrolling behind dialogs reads the nonce from this global.
globalThis.__webpack_nonce__ = cspNonce;
