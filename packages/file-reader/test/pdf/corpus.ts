import { colorCases } from './corpus-colors';
import { combinedCases } from './corpus-combined';
import { documentCases } from './corpus-documents';
import type { CorpusFile } from './corpus-file';
import { fontCases } from './corpus-fonts';
import { hostileCases } from './corpus-hostile';
import { imageCases } from './corpus-images';
import { pageCases } from './corpus-pages';
import { sandboxCases } from './corpus-sandbox';

/** The files by name. */
export const CORPUS: Readonly<Record<string, CorpusFile>> = {
  ...pageCases,
  ...imageCases,
  ...colorCases,
  ...fontCases,
  ...documentCases,
  ...combinedCases,
  ...hostileCases,
  ...sandboxCases,
};
