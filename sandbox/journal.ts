import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An append-only file of JSON lines. It survives a SIGKILL: `append` returns after the operating system has the line.
 * It does not force the line to disk, because the fault runs kill processes and not machines.
 */
export interface Journal<Entry> {
  append(entry: Entry): void;
  close(): void;
}

/**
 * Opens the journal of a folder and creates both when they are missing.
 * Drops an incomplete last line, which a kill left: no response was sent after it.
 * @returns the journal; its entries, oldest first; `torn`: true when a line was dropped
 */
export function openJournal<Entry>(folder: string): {
  journal: Journal<Entry>;
  entries: Entry[];
  torn: boolean;
} {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The journal holds signing secrets and delivery addresses: only its owner may read it.
  const file = openSync(join(folder, 'journal.jsonl'), 'a+', 0o600);
  const written = readFileSync(file);
  const whole = written.lastIndexOf(0x0a) + 1;
  if (whole < written.length) ftruncateSync(file, whole);
  const entries = written
    .toString('utf8', 0, whole)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
  let open = true;
  return {
    entries,
    torn: whole < written.length,
    journal: {
      append(entry) {
        if (open) writeSync(file, `${JSON.stringify(entry)}\n`);
      },
      close() {
        if (!open) return;
        open = false;
        closeSync(file);
      },
    },
  };
}
