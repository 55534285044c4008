import type { FileFacts } from './domain/file-facts';
import type { Preview } from './previews';

/** The result of an inspection: properties and previews of the file, or the reason why it cannot be read. */
export type Inspection =
  | { readonly ok: true; readonly facts: FileFacts; readonly previews: readonly Preview[] }
  | { readonly ok: false; readonly reason: string };
