import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import * as texts from '../../texts';
import { Empty, EmptyLine } from '../layout/empty';
import { QueryContent, type QueryResult } from '../layout/query-content';
import { type Column, DataTable } from './data-table';

/** The result of a query of a list, with the pages that are read so far. */
export interface PagedResult<Page> extends QueryResult<{ readonly pages: readonly Page[] }> {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Returns the result of a query that reads a whole list as one page. */
export const onePage = <Page,>({ data, error, refetch }: QueryResult<Page>): PagedResult<Page> => ({
  data: data === undefined ? undefined : { pages: [data] },
  error,
  refetch,
  hasNextPage: false,
  isFetchingNextPage: false,
  fetchNextPage: () => undefined,
});

/** A list: its rows as a table, what it says while it loads, fails or is empty, and the button for its next page. */
export function PagedTable<Page, Row>(props: {
  readonly label: string;
  readonly query: PagedResult<Page>;
  readonly rowsOf: (page: Page) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** What an empty list says: one line within a section of the page of one object, otherwise a panel. */
  readonly empty: { readonly title: string; readonly text: string; readonly asLine?: boolean };
  /** Clears the filters. Undefined: none is set, and an empty list is empty without them too. */
  readonly onClear?: (() => void) | undefined;
  readonly isDense?: boolean;
  /** Height of the list before the first response. */
  readonly lines?: number;
  readonly activeKey?: string | undefined;
  /** Stands above a table that has rows. */
  readonly caption?: (rows: readonly Row[], first: Page) => ReactNode;
}) {
  const { query, rowsOf, empty, lines = 6, caption, onClear, ...table } = props;
  const EmptyList = empty.asLine === true ? EmptyLine : Empty;
  return (
    <>
      <QueryContent query={query} lines={lines}>
        {({ pages }) => {
          const rows = pages.flatMap(rowsOf);
          if (rows.length === 0 && onClear !== undefined)
            return <Empty title={texts.common.filters.none} text={texts.common.filters.noneText} onClear={onClear} />;
          if (rows.length === 0) return <EmptyList title={empty.title} text={empty.text} />;
          return (
            <>
              {caption?.(rows, pages[0]!)}
              <DataTable {...table} rows={rows} />
            </>
          );
        }}
      </QueryContent>
      <LoadMore {...query} />
    </>
  );
}

/** The button under a list that has more pages. */
export function LoadMore(props: Pick<PagedResult<unknown>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>) {
  if (!props.hasNextPage) return null;
  return (
    <Group justify="center">
      <Button variant="default" loading={props.isFetchingNextPage} onClick={() => props.fetchNextPage()}>
        {texts.common.loadMore}
      </Button>
    </Group>
  );
}
