import { type ReactNode, useId } from 'react';
import styles from './description-list.module.css';

/** Names with values, side by side. Each value is labelled by its name. */
export function DescriptionList({
  entries,
}: {
  readonly entries: readonly (readonly [name: string, value: ReactNode])[];
}) {
  return (
    <div className={styles.list}>
      {entries.map(([name, value]) => (
        <Entry key={name} name={name} value={value} />
      ))}
    </div>
  );
}

function Entry({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  const id = useId();
  return (
    <div>
      <div id={id} className={styles.name}>
        {name}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form control */}
      <div role="group" aria-labelledby={id} className={styles.value}>
        {value}
      </div>
    </div>
  );
}
