import { Button, Group } from '@mantine/core';
import { texts } from '../texts';

/** The button under a list that has more pages. */
export function LoadMore(props: {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}) {
  if (!props.hasNextPage) return null;
  return (
    <Group justify="center">
      <Button variant="default" loading={props.isFetchingNextPage} onClick={() => props.fetchNextPage()}>
        {texts.common.loadMore}
      </Button>
    </Group>
  );
}
