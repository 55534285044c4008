import { z } from 'zod';
import { Refusal } from '../../src/platform/errors';
import { contentDisposition } from '../../src/platform/http/content-disposition';
import type { ApiDeps } from '../deps';
import { RawAnswer, type Route, route } from '../http/route';

/** Types that a browser shows; others are saved. */
const SHOWN_INLINE: ReadonlySet<string> = new Set(['application/pdf', 'image/png', 'image/jpeg']);
/** Enough to follow the redirect; the signed link itself can be used again. */
const DIRECT_LINK_SECONDS = 60;

/**
 * Labels, invoices, print files and previews behind signed links (interface "Limits": valid 7 days).
 * The link is the credential: partners' and clients' tools fetch it without a key.
 */
export function documentRoutes(deps: Pick<ApiDeps, 'objects' | 'links'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/documents/{token}/{fileName}',
      operationId: 'getDocument',
      summary: 'Fetch a document or file by its signed link',
      description:
        'Serves the bytes, or redirects to a short-lived address of the object store. 403: the link was altered; 404: the document is no longer kept; 410: the link has expired, ask for a fresh one.',
      tag: 'Documents',
      access: { credentials: 'none' },
      errors: 'coded',
      params: z.object({ token: z.string(), fileName: z.string() }),
      response: z.unknown(),
      contentType: 'application/octet-stream',
      handler: async ({ params }) => {
        const opened = deps.links.open(params.token);
        if (!opened.ok) {
          throw opened.reason === 'expired'
            ? new Refusal('LINK_EXPIRED')
            : new Refusal('FORBIDDEN', { message: 'This link is not one of ours, or was altered.' });
        }
        const { objectKey, contentType, fileName } = opened.target;
        const direct = await deps.objects.directLink(objectKey, {
          seconds: DIRECT_LINK_SECONDS,
          fileName,
          contentType,
        });
        if (direct !== null) {
          if ((await deps.objects.stat(objectKey)) === null) throw new Refusal('NOT_FOUND');
          return new RawAnswer(302, { Location: direct, 'Referrer-Policy': 'no-referrer' });
        }
        const found = await deps.objects.get(objectKey);
        if (found === null) throw new Refusal('NOT_FOUND');
        return new RawAnswer(
          200,
          {
            'Content-Type': contentType,
            'Content-Length': String(found.size),
            'Content-Disposition': contentDisposition(
              SHOWN_INLINE.has(contentType) ? 'inline' : 'attachment',
              fileName,
            ),
            'X-Content-Type-Options': 'nosniff',
            // Previews are shown by clients' own pages.
            'Cross-Origin-Resource-Policy': 'cross-origin',
            'Cache-Control': 'private, max-age=300',
          },
          found.body,
        );
      },
    }),
  ];
}
