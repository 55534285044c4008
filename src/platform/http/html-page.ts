import { createHash } from 'node:crypto';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML content and for attribute values in quotes. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

const BASE_STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1c2430; background: #f5f6f8; }
main { max-width: 40rem; margin: 2rem auto; padding: 1.5rem 2rem; background: #fff; border-radius: 8px; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
.muted { color: #566071; }
`;

/** A kind of page without scripts. */
export interface PageTemplate {
  /** Headers of the page. The content security policy allows the page's own style and nothing else. */
  readonly headers: Readonly<Record<string, string>>;
  /** @param body HTML, in which every text is escaped */
  render(page: { readonly title: string; readonly head?: string; readonly body: string }): string;
}

/** Creates a template. @param style CSS rules beside those that every page has */
export function pageTemplate(style = ''): PageTemplate {
  const css = `${BASE_STYLE}${style.trimStart()}`;
  const styleHash = createHash('sha256').update(css).digest('base64');
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    },
    render: ({ title, head = '', body }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<title>${escapeHtml(title)}</title>
<style>${css}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
  };
}
