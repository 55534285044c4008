import { CloseButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useViews } from '../components/lists/views';
import * as texts from '../texts';
import styles from './shell.module.css';

/** The named views of a list, below it in the navigation. */
export function Views({ to, onClick }: { readonly to: string; readonly onClick: () => void }) {
  const { views, remove } = useViews();
  const saved = views.filter((view) => view.to === to);
  if (saved.length === 0) return null;
  return (
    <ul className={styles.counts}>
      {saved.map((view) => (
        <li key={view.name} className={styles.view}>
          <Link
            to={to}
            search={view.search as never}
            activeOptions={{ exact: true }}
            className={styles.count!}
            onClick={onClick}
          >
            {view.name}
          </Link>
          <CloseButton size="xs" aria-label={texts.common.views.remove(view.name)} onClick={() => remove(view)} />
        </li>
      ))}
    </ul>
  );
}
