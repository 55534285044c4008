import { Refusal } from '../../src/platform/errors';
import { escapeHtml, pageTemplate } from '../../src/platform/http/html-page';
import { RawResponse } from '../http/route';

const PAGE = pageTemplate();

const link = (address: string, text: string) => `<p><a href="${escapeHtml(address)}">${text}</a></p>`;

/**
 * Returns the page that ends a sign-in. It sets the cookies and then leads to the console. A redirect would not do: it would
 * continue the navigation that the provider started, and a browser sends no SameSite=Strict cookie with that.
 */
export function signedInPage(address: string, cookies: readonly string[]): RawResponse {
  const head = `<meta http-equiv="refresh" content="0; url=${escapeHtml(address)}">\n`;
  const body = `<h1>Signed in</h1>\n${link(address, 'Continue to the console')}`;
  return new RawResponse(
    200,
    { ...PAGE.headers, 'Set-Cookie': cookies },
    PAGE.render({ title: 'Signed in', head, body }),
  );
}

/** Returns the page of a refused sign-in, with the same status and headers as the JSON response. */
function refusedPage({ message, status, retryAfter }: Refusal, requestId: string, signInAddress: string): RawResponse {
  const body = [
    '<h1>Sign-in failed</h1>',
    `<p>${escapeHtml(message)}</p>`,
    link(signInAddress, 'Back to the sign-in page'),
    `<p class="muted">Request id: ${escapeHtml(requestId)}</p>`,
  ].join('\n');
  const headers = {
    ...PAGE.headers,
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  };
  return new RawResponse(status, headers, PAGE.render({ title: 'Sign-in failed', body }));
}

/** Responds with a page where a browser navigates and `work` refuses. Other callers get the refusal as JSON. */
export async function readableForBrowsers(
  call: { readonly headers: Readonly<Record<string, string | undefined>>; readonly requestId: string },
  signInAddress: string,
  work: () => Promise<RawResponse>,
): Promise<RawResponse> {
  try {
    return await work();
  } catch (error) {
    // A request of a browser's address bar: a page is easier to read than JSON.
    const wantsPage = call.headers.accept?.includes('text/html') ?? false;
    if (error instanceof Refusal && wantsPage) return refusedPage(error, call.requestId, signInAddress);
    throw error;
  }
}
