import { TransferError } from '../http/http-fault';
import type { Metrics } from '../metrics/metrics';
import type { ObjectStore } from './object-store';

/** Returns a store that counts its failures as `pressline_errors_total{where="file_store"}`. The caller handles and logs them. */
export function measuredStore(store: ObjectStore, metrics: Metrics): ObjectStore {
  const where = { where: 'file_store' };
  metrics.count('pressline_errors_total', where, 0);
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      // A body that breaks off, or that the caller aborts, is no fault of the store.
      const { name } = error as { name?: unknown };
      if (!(error instanceof TransferError) && name !== 'AbortError') metrics.count('pressline_errors_total', where);
      throw error;
    }
  };
  return {
    put: (key, body, options) => counted(store.put(key, body, options)),
    get: (key, range) => counted(store.get(key, range)),
    stat: (key) => counted(store.stat(key)),
    delete: (keys) => counted(store.delete(keys)),
    directLink: (key, options) => counted(store.directLink(key, options)),
  };
}
