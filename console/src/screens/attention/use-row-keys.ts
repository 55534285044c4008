import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';

/**
 * Moves through a list with the keyboard: j to the next row, k to the one before, x selects, Enter opens. The first j or k goes to the
 * first row. Returns the key of the active row.
 */
export function useRowKeys(
  keys: readonly string[],
  { open, select }: { readonly open: (key: string) => void; readonly select: (key: string) => void },
): string | undefined {
  const [active, setActive] = useState<string>();
  const move = (step: number) => {
    const index = active === undefined ? -1 : keys.indexOf(active);
    const next = index === -1 ? 0 : Math.min(keys.length - 1, Math.max(0, index + step));
    setActive(keys[next]);
  };
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    [
      'x',
      () => {
        if (active !== undefined && keys.includes(active)) select(active);
      },
    ],
    // A focused link or button keeps its own Enter.
    [
      'Enter',
      (event) => {
        const isBusy = event.target instanceof Element && event.target.closest('a, button, [role="dialog"]') !== null;
        if (!isBusy && active !== undefined && keys.includes(active)) open(active);
      },
      { preventDefault: false },
    ],
  ]);
  return active;
}
