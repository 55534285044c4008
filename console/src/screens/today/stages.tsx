import { Link } from '@tanstack/react-router';
import { Section } from '../../components/layout/section';
import styles from '../../components/values/charts.module.css';
import * as texts from '../../texts';
import type { Summary } from './types';

const t = texts.today;

/** Open orders and orders that ended, by status, as bars in the order of their progress. Each bar leads to its list. */
export function Stages({ orders }: Pick<Summary, 'orders'>) {
  const most = Math.max(1, ...orders.map(({ count }) => count));
  return (
    <Section title={t.stages}>
      <ul className={styles.stages}>
        {orders.map(({ status, count }) => {
          const { text, tone } = texts.names.status(status);
          return (
            <li key={status}>
              <Link to="/orders" search={{ status }} className={styles.stage}>
                <span className={styles.name}>{text}</span>
                <svg className={styles.track} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(100 * count) / most} height="10" rx="1" className={styles[tone]} />
                </svg>
                <span className={styles.count}>{count}</span>
              </Link>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
