/**
 * Reads a list page by page until its cursor ends.
 * @param read returns the body of the page at a cursor
 * @param rows the member of the body that holds the rows
 */
export async function everyPage<Row>(
  read: (cursor: { readonly cursor?: string }) => Promise<Record<string, unknown>>,
  rows: string,
): Promise<Row[]> {
  const found: Row[] = [];
  let next: string | null = null;
  do {
    const page: Record<string, unknown> = await read(next === null ? {} : { cursor: next });
    found.push(...(page[rows] as Row[]));
    next = page.nextCursor as string | null;
  } while (next !== null);
  return found;
}
