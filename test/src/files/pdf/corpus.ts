import { colorCases } from './corpus-colors';
import { documentCases } from './corpus-documents';
import type { CorpusFile } from './corpus-file';
import { fontCases } from './corpus-fonts';
import { imageCases } from './corpus-images';
import { pageCases } from './corpus-pages';

/** The files by name. */
export const CORPUS: Readonly<Record<string, CorpusFile>> = {
  ...pageCases,
  ...imageCases,
  ...colorCases,
  ...fontCases,
  ...documentCases,
};
