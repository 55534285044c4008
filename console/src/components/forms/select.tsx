import { NativeSelect } from '@mantine/core';

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** Returns the options of a table of texts, in its order. */
export const optionsOf = <Value extends string>(
  labels: Readonly<Record<Value, string | { readonly text: string }>>,
): Option<Value>[] =>
  Object.entries<string | { readonly text: string }>(labels).map(([value, label]) => ({
    // A table has no other keys than those of its type.
    value: value as Value,
    label: typeof label === 'string' ? label : label.text,
  }));

/** Returns the option that is chosen in a field of a form. Undefined: the option for no value. */
export const choiceOf = <Value extends string>(
  form: FormData,
  name: string,
  options: readonly Option<Value>[],
): Value | undefined => options.find(({ value }) => value === form.get(name))?.value;

interface CommonProps<Value extends string> {
  readonly label?: string;
  readonly 'aria-label'?: string;
  /** Width in pixels. */
  readonly w?: number;
  readonly 'data-autofocus'?: boolean;
  readonly options: readonly Option<Value>[];
}

/** A choice that the screen holds. */
interface RequiredChoice<Value extends string> extends CommonProps<Value> {
  readonly none?: undefined;
  readonly value: NoInfer<Value>;
  readonly onChange: (value: NoInfer<Value>) => void;
}

/** A choice that the screen holds, with the text of an option for no value. */
interface OptionalChoice<Value extends string> extends CommonProps<Value> {
  readonly none: string;
  readonly value: NoInfer<Value> | undefined;
  readonly onChange: (value: NoInfer<Value> | undefined) => void;
}

/** A choice that the form around it holds under a name. `value` is chosen at first. */
interface FormChoice<Value extends string> extends CommonProps<Value> {
  readonly none?: string;
  readonly name: string;
  readonly required?: boolean;
  readonly value?: NoInfer<Value> | undefined;
  readonly onChange?: undefined;
}

/** A field with which one of several values is chosen. */
export function Select<Value extends string>(props: RequiredChoice<Value> | OptionalChoice<Value> | FormChoice<Value>) {
  const { options, none, value, onChange, ...field } = props;
  const data = none === undefined ? [...options] : [{ value: '', label: none }, ...options];
  if (props.onChange === undefined)
    return <NativeSelect {...field} data={data} {...(value === undefined ? {} : { defaultValue: value })} />;
  const choose = (chosen: string) => {
    const found = options.find((option) => option.value === chosen)?.value;
    if (props.none !== undefined) props.onChange(found);
    else if (found !== undefined) props.onChange(found);
  };
  return (
    <NativeSelect {...field} data={data} value={value ?? ''} onChange={(event) => choose(event.currentTarget.value)} />
  );
}
