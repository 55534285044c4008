import type { FileFaultCode } from './domain/file-fault';
import type { FileProperties } from './domain/file-properties';
import type { Preview } from './previews';

/** The result of an inspection: properties and previews of the file, or the reason why there are none. */
export type Inspection =
  | { readonly ok: true; readonly properties: FileProperties; readonly previews: readonly Preview[] }
  | {
      readonly ok: false;
      readonly code: FileFaultCode;
      /** The client reads it. */
      readonly reason: string;
      /** False when the inspection ended without a result: it took too long, or its process ended. Another one may succeed. */
      readonly isFinal: boolean;
      /** What went wrong, for the log. */
      readonly error?: string;
    };
