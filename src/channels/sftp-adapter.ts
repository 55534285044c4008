import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { stringify } from 'csv-stringify/sync';
import type SftpClient from 'ssh2-sftp-client';
import { SIZES, shownSize } from '../platform/domain/sizes';
import { json } from '../platform/postgres';
import type { AdapterDeps, ChannelAdapter } from './adapter';
import { contentOf, errorsByLine, receiveFile, requireFile } from './channel-files';
import type { Channel } from './channels';
import { csvAdapter } from './csv-adapter';
import { withErrors } from './csv-file';
import { parcelsOf, shippedParcel } from './reports';
import { csvFiles, makeFolders, withSftp } from './sftp';

/** Files that one run takes. */
const MOST_FILES = 100;
const timeInName = (at = new Date()) => at.toISOString().replace(/[:.]/g, '-');

/**
 * The adapter of a channel whose CSV files are on an SFTP server: takes files of `in` when their size and time are those of
 * the run before, moves them to `done`, and writes shipments and files with errors to `out`.
 */
export function sftpAdapter(deps: AdapterDeps, channel: Channel): ChannelAdapter {
  const { sql } = deps;
  const files = csvAdapter(deps, channel);
  const failures: Error[] = [];
  type Place = (...names: string[]) => string;

  async function collect(sftp: SftpClient, at: Place): Promise<void> {
    await makeFolders(sftp, at);
    const found = (await csvFiles(sftp, at)).slice(0, MOST_FILES);
    const [before] = await sql<
      { sftpSeen: Record<string, string> }[]
    >`SELECT sftp_seen FROM channels WHERE id = ${channel.id}`;
    const seen = Object.fromEntries(found.map(({ name, size, modifyTime }) => [name, `${size} ${modifyTime}`]));
    await sql`UPDATE channels SET sftp_seen = ${json(sql, seen)} WHERE id = ${channel.id}`;
    for (const { name, size } of found) {
      if (before!.sftpSeen[name] !== seen[name]) continue;
      await take(sftp, at, name, size).catch((error: Error) => failures.push(new Error(`${name}: ${error.message}`)));
    }
  }

  async function take(sftp: SftpClient, at: Place, name: string, size: number): Promise<void> {
    const { most } = SIZES.channelFileBytes;
    if (size > most) throw new Error(`the file has more than ${shownSize(most)} bytes`);
    const content = await buffer(sftp.createReadStream(at('in', name), { end: size }));
    // It has grown since: it is taken later.
    if (content.length !== size) return;
    await receiveFile(deps, channel, { name, dryRun: false, body: Readable.from([content]) });
    await sftp.rename(at('in', name), at('done', `${timeInName()}-${name}`));
  }

  /** Writes a file of `out`. Its name appears when it is complete. */
  const write = async (name: string, content: string | Readable) =>
    await withSftp(deps, channel.id, async (sftp, at) => {
      const [part, whole] = [at('out', `.${name}.part`), at('out', name)];
      await sftp.put(typeof content === 'string' ? Buffer.from(content) : content, part);
      if (await sftp.exists(whole)) await sftp.delete(whole);
      await sftp.rename(part, whole);
    });

  return {
    ...files,
    async *fetchNew() {
      await withSftp(deps, channel.id, collect).catch((error: Error) => failures.push(error));
      yield* files.fetchNew();
    },
    async acknowledge() {
      await files.acknowledge();
      const [first] = failures.splice(0);
      if (first !== undefined) throw first;
    },
    async reportShipped(shipments) {
      const columns = Object.keys(shippedParcel.shape);
      const rows = stringify(shipments.flatMap(parcelsOf), { header: true, columns });
      await write(`shipments-${timeInName()}.csv`, rows);
    },
    async reportProblem(problems) {
      for (const id of new Set(problems.flatMap(({ fileId }) => fileId ?? []))) {
        const file = await requireFile(sql, channel.id, id);
        const errors = await errorsByLine(sql, file);
        const content =
          file.state === 'refused'
            ? stringify([...errors], { header: true, columns: ['line', 'error'] })
            : Readable.from(withErrors(await contentOf(deps.objects, file.objectKey), errors));
        await write(`errors-${timeInName(file.createdAt)}-${file.name}`, content);
      }
    },
  };
}
