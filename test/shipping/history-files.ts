import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';

const { History } = temporal.api.history.v1;
export type History = temporal.api.history.v1.IHistory;

const FOLDER = join(__dirname, 'histories');

/** Names of the histories that are kept. */
export const HISTORY_NAMES = readdirSync(FOLDER)
  .map((name) => name.replace(/\.json$/, ''))
  .sort();

/**
 * Keeps a run's history as JSON, one event a line, without what tells of the machine: replay looks at none of it.
 * Not in the form that Temporal's tools write: the SDK's reader of that one needs a single copy of protobufjs to be
 * installed, and there are three.
 */
export function keepHistory(name: string, history: History): void {
  const { events } = History.toObject(History.fromObject(history), {
    longs: String,
    bytes: String,
    enums: String,
  }) as { events: object[] };
  const lines = events.map((event) =>
    JSON.stringify(event, (key, value) => (key === 'stackTrace' || key === 'identity' ? undefined : value)),
  );
  writeFileSync(join(FOLDER, `${name}.json`), `[\n${lines.join(',\n')}\n]\n`);
}

export function readHistory(name: string): History {
  const events = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as object[];
  return History.fromObject({ events });
}
