import { useLocalStorage } from '@mantine/hooks';

/** A list with filters, under a name. This browser keeps it. */
export interface View {
  readonly name: string;
  /** The screen of the list, such as `/orders`. */
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

/** Returns the views of this browser, and the functions that save and remove one. A name is there once on a screen. */
export function useViews() {
  const [views, setViews] = useLocalStorage<readonly View[]>({ key: 'pressline.views', defaultValue: [] });
  const without = ({ name, to }: View) => views.filter((view) => view.name !== name || view.to !== to);
  return {
    views,
    save: (view: View) => setViews([...without(view), view]),
    remove: (view: View) => setViews(without(view)),
  };
}
