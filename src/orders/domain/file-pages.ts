import type { FileProperties } from '../../../packages/file-reader/facts';
import { areasOfDefaultFile, type PageRule, type ResolvedProduct } from '../../catalog/domain/product';
import { type FileFault, permanentFault } from '../../files/domain/file-fault';
import type { FileOfProduct } from './file-needs';

/** Number of pages that a print file must have. */
export type WantedPages = Pick<PageRule, 'min' | 'max' | 'multipleOf'>;

const exactly = (pages: number): WantedPages => ({ min: pages, max: pages, multipleOf: 1 });

/**
 * Returns how many pages a print file must have, or null when any number
 * is accepted. An image counts as one page.
 *
 * - A book's `default` or `inside` file has the ordered pages; its `cover` has the pages of the model's cover.
 * - The `default` file of a product with several print areas has one page for each area that no other file covers.
 * - Every other file is one print area and has one page.
 * @param otherTypes types of the item's other files
 */
export function wantedPages(
  fileType: string,
  { pageRule, printAreas }: Pick<ResolvedProduct, 'pageRule' | 'printAreas'>,
  otherTypes: readonly string[],
): WantedPages | null {
  if (pageRule === null) return null;
  const isBook = pageRule.min === pageRule.max;
  if (isBook) {
    if (fileType === 'cover') return exactly(pageRule.coverPages ?? 1);
    return fileType === 'default' || fileType === 'inside' ? pageRule : exactly(1);
  }
  if (fileType !== 'default') return exactly(1);
  const areas = areasOfDefaultFile(printAreas, otherTypes);
  const required = areas.filter((area) => area.required);
  return { min: Math.max(1, required.length), max: Math.max(1, areas.length), multipleOf: 1 };
}

/** Returns true when a file has an accepted number of pages. */
export function hasWantedPages(pageCount: number, { min, max, multipleOf }: WantedPages): boolean {
  return pageCount >= min && pageCount <= max && pageCount % multipleOf === 0;
}

/** Formats accepted page counts for an error message: "24", "1 to 2", "20 to 200 in steps of 2". */
export function describePages({ min, max, multipleOf }: WantedPages): string {
  const count = min === max ? `${min}` : `${min} to ${max}`;
  return multipleOf > 1 && min !== max ? `${count} in steps of ${multipleOf}` : count;
}

/** Returns the refusal of a print file with a wrong number of pages. */
export function pageFault(
  { type, product, otherTypes }: FileOfProduct,
  { pageCount }: FileProperties,
): FileFault | null {
  const wanted = wantedPages(type, product, otherTypes);
  if (wanted === null || hasWantedPages(pageCount, wanted)) return null;
  return permanentFault(
    'file_page_count_mismatch',
    `the file has ${pageCount} ${pageCount === 1 ? 'page' : 'pages'}, expected ${describePages(wanted)}`,
  );
}
