import { Fieldset, SimpleGrid } from '@mantine/core';
import * as texts from '../../texts';
import { TextField } from './field-faults';
import { textOf, wordsOf } from './form-values';
import { type Option, Select } from './select';

/** How a field of an object is edited. A text unless it says otherwise. */
interface FieldRule {
  readonly type?: 'number' | 'email' | 'password' | 'words';
  readonly required?: boolean;
  /** The values that it can have. */
  readonly options?: readonly Option<string>[];
}

/** The fields of an object of the API: a label for each, and rules for those that are more than an optional text. */
export interface ObjectForm<T extends object> {
  readonly labels: Readonly<Record<keyof T & string, string>>;
  readonly rules: { readonly [Name in keyof T & string]?: FieldRule };
}

type OptionalName<T> = {
  [Name in keyof T & string]-?: null extends T[Name] ? Name : undefined extends T[Name] ? Name : never;
}[keyof T & string];

/**
 * The rules of an object that cannot be left out: each field that the schema of the API requires says whether it is marked. It is
 * not when it can be empty. So marks and schema agree by their types.
 */
export type Marks<T extends object> = {
  readonly [Name in Exclude<keyof T & string, OptionalName<T>>]: FieldRule & { readonly required: boolean };
} & { readonly [Name in OptionalName<T>]?: FieldRule & { readonly required?: false } };

/** Returns the labels of an object's fields with their rules. */
const fieldsOf = <T extends object>({ labels, rules }: ObjectForm<T>) =>
  Object.entries<string>(labels).map(([name, label]) => ({
    name,
    label,
    rule: (rules as Readonly<Record<string, FieldRule | undefined>>)[name] ?? {},
  }));

/** The fields of an object, such as an address. `name` is the path of the object in the API. */
export function ObjectFields<T extends object>(props: {
  readonly name: string;
  readonly legend: string;
  readonly form: ObjectForm<T>;
  readonly value: T | null;
}) {
  const { name, legend, form, value } = props;
  const values = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    <Fieldset legend={legend}>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm" verticalSpacing="xs">
        {fieldsOf(form).map(({ name: field, label, rule: { type, required = false, options } }) =>
          options === undefined ? (
            <TextField
              key={field}
              name={`${name}.${field}`}
              label={label}
              required={required}
              type={type === 'words' || type === undefined ? 'text' : type}
              defaultValue={inputOf(values[field])}
            />
          ) : (
            <Select
              key={field}
              name={`${name}.${field}`}
              label={label}
              none={texts.common.none}
              value={inputOf(values[field])}
              options={options}
            />
          ),
        )}
      </SimpleGrid>
    </Fieldset>
  );
}

const inputOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(', ');
  return value === undefined || value === null ? '' : String(value);
};

/** Returns the object that its fields hold, without the empty ones. Null: all are empty. The API checks the values. */
export function objectOf<T extends object>(form: FormData, name: string, fields: ObjectForm<T>): T | null {
  const entries = fieldsOf(fields).flatMap(({ name: field, rule: { type } }) => {
    const text = textOf(form, `${name}.${field}`);
    return text === null ? [] : [[field, parsed(text, type)] as const];
  });
  return entries.length === 0 ? null : (Object.fromEntries(entries) as T);
}

function parsed(text: string, type: FieldRule['type']) {
  if (type === 'number') return Number(text);
  return type === 'words' ? wordsOf(text) : text;
}
