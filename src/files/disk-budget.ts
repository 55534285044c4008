/** Space on a worker's disk for the files that it fetches and inspects. */
export interface DiskBudget {
  /** Opens the account of a file that holds no bytes yet. */
  open(client: string): DiskSpace;
}

/** The space of one file. */
export interface DiskSpace {
  /** Aborts when the file has to give way. Its bytes do not count from then on: remove it. */
  readonly signal: AbortSignal;
  /** Counts bytes before they are written. The signal may abort. */
  add(bytes: number): void;
  /** Gives the space back. Call it when the file is removed. */
  release(): void;
}

interface Held {
  bytes: number;
  readonly controller: AbortController;
}

/**
 * Creates a budget, so that the files of many orders together do not fill the disk of a worker. Bytes count as they come: a
 * file of unknown length from a slow host holds what it has sent.
 *
 * A client may hold fewer bytes than are free, so that some are always free for others (docs/decisions/005-shares.md). The
 * newest file of a client that has its share gives way to its older ones, which therefore end, however many it has. The
 * last one may take all that is free. When nothing is free, the newest file of the client that holds most gives way.
 */
export function createDiskBudget(totalBytes: number): DiskBudget {
  /** Files by client, the oldest first. */
  const clients = new Map<string, Set<Held>>();
  const heldBy = (client: string) => [...(clients.get(client) ?? [])].reduce((sum, { bytes }) => sum + bytes, 0);
  let free = totalBytes;

  const forget = (client: string, file: Held) => {
    const files = clients.get(client);
    if (files === undefined || !files.delete(file)) return;
    free += file.bytes;
    if (files.size === 0) clients.delete(client);
  };
  const giveWay = (client: string) => {
    const newest = [...clients.get(client)!].at(-1)!;
    forget(client, newest);
    newest.controller.abort(new Error('the file gives way to others'));
  };

  return {
    open(client) {
      const file: Held = { bytes: 0, controller: new AbortController() };
      clients.set(client, (clients.get(client) ?? new Set()).add(file));
      return {
        signal: file.controller.signal,
        add(bytes) {
          if (file.controller.signal.aborted) return;
          file.bytes += bytes;
          free -= bytes;
          while ((clients.get(client)?.size ?? 0) > 1 && heldBy(client) > free) giveWay(client);
          while (free < 0 && clients.size > 1) {
            const [most] = [...clients.keys()].sort((one, other) => heldBy(other) - heldBy(one));
            giveWay(most!);
          }
        },
        release: () => forget(client, file),
      };
    },
  };
}
