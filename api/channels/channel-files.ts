import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  channelFileSchema,
  channelFileSummarySchema,
  contentOf,
  errorsByLine,
  fileSummaries,
  fileView,
  listFiles,
  receiveFile,
  requireFile,
} from '../../src/channels/channel-files';
import { runChannel } from '../../src/channels/channels';
import { rowsSchema, rowsWithErrors, withErrors } from '../../src/channels/csv-file';
import { listShipments, parcelsOf, shippedParcel } from '../../src/channels/reports';
import { instant } from '../../src/platform/domain/fields';
import { SIZES } from '../../src/platform/domain/sizes';
import { contentDisposition } from '../../src/platform/objects/object-store';
import type { Sql } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { pageById } from '../http/list-query';
import { RawResponse, type Route, route } from '../http/route';
import { channelPath, nextCursor, pageQuery, READ, visibleChannel, WRITE } from './access';

const filePath = channelPath.extend({ fileId: z.string().max(100) });

/** Time that an upload waits for the end of its processing. */
const WAIT_MS = 5_000;
const POLL_MS = 200;
/** Time for an upload of the largest file with 4 Mbit/s. */
const UPLOAD_MS = 30_000;

/** Returns a file as it is at the end of its processing, or after the time. */
async function processed(sql: Sql, channelId: string, id: string, signal: AbortSignal) {
  for (const until = Date.now() + WAIT_MS; ; ) {
    const view = await fileView(sql, await requireFile(sql, channelId, id));
    if (view.state !== 'processing' || Date.now() > until || signal.aborted) return view;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

export function fileRoutes(deps: Pick<ApiDeps, 'sql' | 'objects'>): Route[] {
  const { sql, objects } = deps;
  return [
    route('POST /v1/channels/{channelId}/files', {
      ...WRITE,
      operationId: 'uploadChannelFile',
      refuses: ['CONFLICT'],
      summary: 'Upload a CSV file of orders',
      description:
        'Stores the file, and reads it in the background. The response is sent after five seconds at most: `state` says ' +
        'whether the file is done. The same file creates nothing more, and returns the earlier one. `dryRun` returns what ' +
        'the orders would become, and stores none. 409: the channel is paused.',
      audits: ['channel.upload'],
      isRepeatable: true,
      timeoutMs: UPLOAD_MS,
      params: channelPath,
      query: z.object({
        name: z.string().trim().min(1).max(200).default('orders.csv').describe('Name of the file.'),
        dryRun: z.enum(['true', 'false']).default('false'),
      }),
      upload: { contentType: 'text/csv', mostBytes: SIZES.channelFileBytes.most },
      response: channelFileSchema,
      handler: async ({ account, params, query, upload, audit, signal }) => {
        const channel = await visibleChannel(sql, account, params.channelId);
        const dryRun = query.dryRun === 'true';
        const id = await receiveFile(deps, channel, { name: query.name, dryRun, body: upload!() }, (tx) =>
          runChannel(tx, channel),
        );
        await audit(sql, {
          action: 'channel.upload',
          objectId: channel.id,
          before: null,
          after: { fileId: id, dryRun },
        });
        return await processed(sql, channel.id, id, signal);
      },
    }),
    route('GET /v1/channels/{channelId}/files', {
      ...READ,
      operationId: 'listChannelFiles',
      summary: 'List the files of a channel, newest first',
      description: 'The files that were uploaded or fetched, and the dry runs, without their findings.',
      params: channelPath,
      query: pageQuery,
      response: z.object({ files: z.array(channelFileSummarySchema), nextCursor }),
      handler: async ({ account, params, query }) => {
        const { id } = await visibleChannel(sql, account, params.channelId);
        const { page, nextCursor } = await pageById(query, (wanted) => listFiles(sql, id, wanted));
        return { files: await fileSummaries(sql, page), nextCursor };
      },
    }),
    route('GET /v1/channels/{channelId}/files/{fileId}', {
      ...READ,
      operationId: 'getChannelFile',
      summary: 'Retrieve the state of a file',
      params: filePath,
      response: channelFileSchema,
      handler: async ({ account, params }) => {
        const { id } = await visibleChannel(sql, account, params.channelId);
        return await fileView(sql, await requireFile(sql, id, params.fileId));
      },
    }),
    route('GET /v1/channels/{channelId}/files/{fileId}/rows', {
      ...READ,
      operationId: 'listChannelFileRows',
      refuses: ['DOCUMENT_DELETED'],
      summary: 'Read the rows of a file that have errors',
      description: 'The first 100, with the cells as they were sent. 410: the content of the file has been deleted.',
      params: filePath,
      response: rowsSchema,
      handler: async ({ account, params }) => {
        const { id } = await visibleChannel(sql, account, params.channelId);
        const file = await requireFile(sql, id, params.fileId);
        return await rowsWithErrors(await contentOf(objects, file.objectKey), await errorsByLine(sql, file));
      },
    }),
    exportedList('GET /v1/channels/{channelId}/shipments', {
      ...READ,
      operationId: 'listChannelShipments',
      summary: 'List the parcels of a channel that have left',
      description: 'Newest orders first. `since` leaves out orders that have not changed after this time.',
      csv: { name: 'shipments', rows: 'shipments', pages: PAGES.byCursor },
      params: channelPath,
      query: pageQuery.extend({ since: instant, format: formatQuery }),
      response: z.object({ shipments: z.array(shippedParcel), nextCursor }),
      handler: async ({ account, params, query }) => {
        const channel = await visibleChannel(sql, account, params.channelId);
        const { page, nextCursor } = await pageById(query, (wanted) =>
          listShipments(sql, channel, query.since, wanted),
        );
        return { shipments: page.flatMap(parcelsOf), nextCursor };
      },
    }),
    route('GET /v1/channels/{channelId}/files/{fileId}/errors', {
      ...READ,
      operationId: 'getChannelFileErrors',
      refuses: ['DOCUMENT_DELETED', 'CONFLICT'],
      summary: 'Download a file with its errors',
      description:
        'Returns the file with a column `error`, in UTF-8. The other cells are as they were sent. 409: the file cannot be ' +
        'read. 410: its content has been deleted.',
      params: filePath,
      contentType: 'text/csv',
      response: z.string(),
      handler: async ({ account, params }) => {
        const { id } = await visibleChannel(sql, account, params.channelId);
        const file = await requireFile(sql, id, params.fileId);
        const content = await contentOf(objects, file.objectKey);
        const headers = {
          'Content-Type': 'text/csv; charset=utf-8',
          'Content-Disposition': contentDisposition('attachment', `errors-${file.name}`),
        };
        return new RawResponse(200, headers, Readable.from(withErrors(content, await errorsByLine(sql, file))));
      },
    }),
  ];
}
