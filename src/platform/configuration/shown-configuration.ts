import { type Config, VARIABLES } from '../config';

/** A variable of the configuration as operators see it. */
export interface ShownVariable {
  readonly name: string;
  /** The value in use. Secrets: `(set)`. Null when the variable has no value. */
  readonly value: string | null;
  readonly fallback: string;
  readonly doc: string;
}

/** Words in the names of variables that hold secrets. */
const SECRET = /SECRET|KEY|PASSWORD|TOKEN|CREDENTIAL/;
/** The part of a URL that names a user, and its query, which can hold a password. */
const USER_OR_QUERY = /(?<=^[a-z][a-z\d+.-]*:\/\/)[^/?#]*@|[?#].*$/gi;

/** Returns the configuration without secrets: names that contain a word of SECRET show no value, and URLs neither user nor query. */
export function shownConfiguration(config: Config): ShownVariable[] {
  return Object.entries(VARIABLES).map(([name, { fallback, doc }]) => ({
    name,
    value: shownValue(name, config[name as keyof Config]),
    fallback,
    doc,
  }));
}

function shownValue(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (SECRET.test(name)) return '(set)';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(USER_OR_QUERY, '');
}
