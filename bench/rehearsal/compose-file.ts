import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../src/platform/project-root';

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: string | readonly string[];
}

/** Returns the text with the values of `${NAME}`, `${NAME:-default}` and `${NAME:?}`. */
function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_whole, name: string, operator, rest) => {
    const value = values[name] ?? '';
    if (value !== '') return value;
    if (operator === '-') return rest;
    if (operator === '?') throw new Error(`docker-compose.yml requires ${name}`);
    return '';
  });
}

/** docker-compose.yml, as processes on this machine use it. */
export interface ComposeFile {
  /** Returns the environment of a service. */
  environmentOf(service: string): Record<string, string>;
  /** Returns the arguments of the command of a service. */
  commandOf(service: string): string[];
}

/**
 * Reads docker-compose.yml.
 * @param values of the variables that the file requires
 * @param addresses replace the names of services, such as `database:5432`
 */
export function readComposeFile(
  values: Readonly<Record<string, string>>,
  addresses: Readonly<Record<string, string>>,
): ComposeFile {
  const text = readFileSync(join(projectRoot(), 'docker-compose.yml'), 'utf8');
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
  const local = (value: string) =>
    Object.entries(addresses).reduce((changed, [from, to]) => changed.replaceAll(from, to), interpolate(value, values));
  const service = (name: string) => {
    const found = services[name];
    if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
    return found;
  };
  return {
    environmentOf: (name) =>
      Object.fromEntries(
        Object.entries(service(name).environment ?? {}).map(([key, value]) => [key, local(String(value))]),
      ),
    commandOf(name) {
      const { command = [] } = service(name);
      return (typeof command === 'string' ? command.split(' ') : [...command]).map(local);
    },
  };
}

/** Returns the settings of a `postgres -c name=value` command. */
export function postgresSettings(command: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    command.flatMap((argument, index) =>
      command[index - 1] === '-c' ? [argument.split('=') as [string, string]] : [],
    ),
  );
}
