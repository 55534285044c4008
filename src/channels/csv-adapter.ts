import { Refusal } from '../platform/errors';
import type { AdapterDeps, ArrivedOrder, ChannelAdapter } from './adapter';
import { contentOf, endFile, type ReceivedFile, receivedFiles, storeSurvey } from './channel-files';
import type { Channel } from './channels';
import { FileRefused, ordersOf, surveyFile } from './csv-file';
import { type CsvRaw, type CsvSettings, csvOrder, located } from './domain/csv-order';

const BATCH = 200;

/**
 * Reads a file that was received once, and stores its numbers.
 * @throws FileRefused
 */
export async function surveyed({ sql, objects }: AdapterDeps, settings: CsvSettings, file: ReceivedFile) {
  const content = await contentOf(objects, file.objectKey).catch((error: unknown) => {
    if (error instanceof Refusal) throw new FileRefused('The content of the file is lost.', null);
    throw error;
  });
  const survey = await surveyFile(content, settings, file.name);
  await storeSurvey(sql, file.id, survey);
  return { content, survey };
}

/** The adapter of a channel whose orders come in CSV files. Its client reads shipments and problems over the API. */
export function csvAdapter(deps: AdapterDeps, channel: Channel): ChannelAdapter {
  const { settings } = channel;
  const yielded: string[] = [];

  async function* batchesOf(file: ReceivedFile) {
    const { content, survey } = await surveyed(deps, settings, file);
    let batch: ArrivedOrder[] = [];
    for await (const order of ordersOf(content, survey, settings, file)) {
      batch.push(order);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
    yielded.push(file.id);
  }

  return {
    async *fetchNew() {
      for (const file of await receivedFiles(deps.sql, channel.id, { dryRun: false })) {
        try {
          yield* batchesOf(file);
        } catch (error) {
          if (!(error instanceof FileRefused)) throw error;
          await endFile(deps.sql, file.id, { state: 'refused', findings: [error.finding] });
        }
      }
    },
    async acknowledge() {
      for (const id of yielded.splice(0)) await endFile(deps.sql, id, { state: 'read' });
    },
    async reportShipped() {},
    async reportProblem() {},
    read: (raw) => csvOrder(raw as CsvRaw, settings),
    locate: (raw, reasons) => located(raw as CsvRaw, settings, reasons),
  };
}
