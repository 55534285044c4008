/** Space on a worker's disk for the files that it fetches and inspects. */
export interface DiskBudget {
  /**
   * Takes space, and waits for it in the order of the requests. A request for more than all of it takes all of it.
   * @returns the function that gives the space back, or null when none became free in time
   */
  take(bytes: number): Promise<(() => void) | null>;
}

/** Longest wait. A host that has sent the head of its response keeps the connection open meanwhile. */
const WAIT_MS = 15_000;

/** Creates a budget, so that large files of many orders together do not fill the disk of a worker. */
export function createDiskBudget(totalBytes: number, waitMs = WAIT_MS): DiskBudget {
  let free = totalBytes;
  const waiting = new Set<{ readonly bytes: number; admit(): void }>();
  const admit = () => {
    for (const next of waiting) {
      if (next.bytes > free) return;
      waiting.delete(next);
      free -= next.bytes;
      next.admit();
    }
  };
  return {
    take(requested) {
      const bytes = Math.min(requested, totalBytes);
      let isHeld = true;
      const release = () => {
        if (isHeld) free += bytes;
        isHeld = false;
        admit();
      };
      return new Promise((resolve) => {
        const giveUp = setTimeout(() => {
          waiting.delete(entry);
          admit();
          resolve(null);
        }, waitMs);
        const entry = {
          bytes,
          admit() {
            clearTimeout(giveUp);
            resolve(release);
          },
        };
        waiting.add(entry);
        admit();
      });
    },
  };
}
