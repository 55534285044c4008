import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import * as texts from '../../texts';
import { ErrorAlert } from './error-alert';

/** What a component needs to know of a query. */
export interface QueryResult<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** Shows the data of a query: a skeleton before the first response, an error when there is none. */
export function QueryContent<T>(props: {
  readonly query: QueryResult<T>;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}) {
  const { query, lines = 6, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorAlert error={query.error} onRetry={() => query.refetch()} />;
  return <LoadingLines lines={lines} />;
}

/** Placeholder for lines that are loading. */
export function LoadingLines({ lines }: { readonly lines: number }) {
  return (
    <Stack gap="sm" aria-busy="true">
      <VisuallyHidden>{texts.common.loading}</VisuallyHidden>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are equal and never move
        <Skeleton key={index} height={28} />
      ))}
    </Stack>
  );
}
