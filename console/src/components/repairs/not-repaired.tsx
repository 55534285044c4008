import * as texts from '../../texts';
import type { SelectedOrder } from './bulk-repair-request';
import styles from './not-repaired.module.css';

/** Why orders do not accept a repair, the most frequent reason first, each with its orders. */
export function NotRepaired(props: {
  readonly reasons: readonly {
    readonly message: string;
    readonly count: number;
    readonly orderIds: readonly string[];
  }[];
  readonly orders: readonly SelectedOrder[];
}) {
  const nameOf = (id: string) => props.orders.find((order) => order.id === id)?.orderReferenceId ?? id;
  if (props.reasons.length === 0) return null;
  return (
    <ul className={styles.reasons}>
      {props.reasons.map(({ message, count, orderIds }) => (
        <li key={message}>{texts.attention.bulk.notRepaired(message, count, orderIds.map(nameOf))}</li>
      ))}
    </ul>
  );
}
