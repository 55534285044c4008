import { z } from 'zod';
import { documentOf, isDrawn } from '../src/documents/drawn-documents';
import { readFileReport } from '../src/orders/reading/order-documents';
import { Refusal } from '../src/platform/errors';
import { contentDisposition } from '../src/platform/objects/object-store';
import type { ApiDeps } from './deps';
import { openRoute, RawResponse, type Route } from './http/route';

/** Content types that a browser displays. Others are downloaded. */
const SHOWN_INLINE: ReadonlySet<string> = new Set(['application/pdf', 'image/png', 'image/jpeg']);
/** Long enough to follow the redirect. The signed link itself stays valid. */
const DIRECT_LINK_SECONDS = 60;

/**
 * Serves labels, invoices, print files with their reports, and previews by signed links (valid for 7 days). The link is the
 * credential, so that tools of partners and clients can download a document without a key.
 */
export function documentRoutes(deps: Pick<ApiDeps, 'objects' | 'links' | 'sql'>): Route[] {
  return [
    openRoute('GET /documents/{token}/{fileName}', {
      operationId: 'getDocument',
      refuses: ['DOCUMENT_DELETED', 'FORBIDDEN', 'LINK_EXPIRED'],
      otherStatuses: { 302: 'Leads to the object store.' },
      summary: 'Fetch a document or file by its signed link',
      description:
        'Returns the document, or redirects to a short-lived address of the object store. 403: the link was altered. 410: the link has expired, or the document was deleted.',
      tag: 'Documents',
      params: z.object({ token: z.string(), fileName: z.string() }),
      response: z.unknown(),
      contentType: 'application/octet-stream',
      otherContentTypes: ['*/*'],
      handler: async ({ params }) => {
        const opened = deps.links.open(params.token);
        if (!opened.ok) {
          throw opened.reason === 'expired'
            ? new Refusal('LINK_EXPIRED')
            : new Refusal('FORBIDDEN', { message: 'The signature of this link is not valid.' });
        }
        const { objectKey, contentType, fileName } = opened.target;
        const report = await readFileReport(deps.sql, objectKey);
        if (report === null) throw new Refusal('DOCUMENT_DELETED');
        if (report !== undefined) {
          const headers = { 'Content-Type': contentType, 'X-Content-Type-Options': 'nosniff' };
          return new RawResponse(200, { ...headers, 'Cache-Control': 'private, max-age=300' }, report);
        }
        const direct = await deps.objects.directLink(objectKey, {
          seconds: DIRECT_LINK_SECONDS,
          fileName,
          contentType,
        });
        if (direct !== null) {
          const info = await deps.objects.stat(objectKey);
          if (info === null) throw new Refusal('DOCUMENT_DELETED');
          if (!isDrawn(info.contentType))
            return new RawResponse(302, { Location: direct, 'Referrer-Policy': 'no-referrer' });
        }
        const found = await deps.objects.get(objectKey);
        if (found === null) throw new Refusal('DOCUMENT_DELETED');
        const { size, body } = await documentOf(found);
        return new RawResponse(
          200,
          {
            'Content-Type': contentType,
            'Content-Length': String(size),
            'Content-Disposition': contentDisposition(
              SHOWN_INLINE.has(contentType) ? 'inline' : 'attachment',
              fileName,
            ),
            'X-Content-Type-Options': 'nosniff',
            // Clients show previews on their own pages.
            'Cross-Origin-Resource-Policy': 'cross-origin',
            'Cache-Control': 'private, max-age=300',
          },
          body,
        );
      },
    }),
  ];
}
