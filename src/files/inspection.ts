import type { FileFacts } from './domain/file-facts';
import type { Preview } from './previews';

/** What a look into a file found: what it is, and its first pages as pictures; or why it cannot be read. */
export type Inspection =
  | { readonly ok: true; readonly facts: FileFacts; readonly previews: readonly Preview[] }
  | { readonly ok: false; readonly reason: string };
