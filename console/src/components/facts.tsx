import { type ReactNode, useId } from 'react';
import styles from './facts.module.css';

/** Names with values, side by side. Each value is labelled by its name. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <div className={styles.facts}>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
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
