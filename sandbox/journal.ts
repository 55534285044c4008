import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Append-only JSON lines: what the outside world knows, kept across a SIGKILL.
 * A line is in the operating system's hands before `append` returns; it is not forced to the disk, because
 * the fault runs kill processes and not machines.
 */
export interface Journal<Entry> {
  append(entry: Entry): void;
  close(): void;
}

/**
 * Opens the journal of a folder, making both where needed.
 * A last line that a kill cut short is dropped: what it told had not been answered for.
 * @returns the journal and the entries written so far, oldest first
 */
export function openJournal<Entry>(folder: string): {
  journal: Journal<Entry>;
  entries: Entry[];
  torn: boolean;
} {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Holds signing secrets and delivery addresses: readable by its owner only.
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
