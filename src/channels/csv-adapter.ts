import { Refusal } from '../platform/errors';
import type { AdapterDeps, ArrivedOrder, ChannelAdapter } from './adapter';
import { contentOf, endFile, type ReceivedFile, receivedFiles, storeSurvey } from './channel-files';
import type { Channel } from './channels';
import { FileRefused, ordersOf, surveyFile } from './csv-file';
import { type CsvRaw, type CsvSettings, csvOrder, located } from './domain/csv-order';

const BATCH = 200;

/** Yields the orders of a file that was received, and stores its numbers. A file that cannot be read is refused. */
export async function* ordersIn(
  { sql, objects }: AdapterDeps,
  settings: CsvSettings,
  file: ReceivedFile,
): AsyncGenerator<ArrivedOrder> {
  try {
    const content = await contentOf(objects, file.objectKey).catch((error: unknown) => {
      if (error instanceof Refusal) throw new FileRefused('The content of the file is lost.', null);
      throw error;
    });
    const survey = await surveyFile(content, settings, file.name);
    await storeSurvey(sql, file.id, survey);
    yield* ordersOf(content, survey, settings, file);
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    await endFile(sql, file.id, { state: 'refused', findings: [error.finding] });
  }
}

/** The adapter of a channel whose orders come in CSV files. Its client reads shipments and problems over the API. */
export function csvAdapter(deps: AdapterDeps, channel: Channel): ChannelAdapter {
  const { settings } = channel;
  const yielded: string[] = [];

  return {
    async *fetchNew() {
      for (const file of await receivedFiles(deps.sql, channel.id, { dryRun: false })) {
        let batch: ArrivedOrder[] = [];
        for await (const order of ordersIn(deps, settings, file)) {
          batch.push(order);
          if (batch.length < BATCH) continue;
          yield batch;
          batch = [];
        }
        yield batch;
        yielded.push(file.id);
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
