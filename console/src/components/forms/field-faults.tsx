import { Input, Stack, Textarea, type TextareaProps, TextInput, type TextInputProps } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { ApiError, type FieldFault } from '../../api/api-error';
import * as texts from '../../texts';
import { ErrorAlert } from '../layout/error-alert';

/** The faults of a form that stand at their fields, by the name of the field, and the others. */
interface Placed {
  readonly atFields: ReadonlyMap<string, string>;
  readonly others: readonly FieldFault[];
}

const NOTHING: Placed = { atFields: new Map(), others: [] };
const AtFields = createContext(NOTHING.atFields);

/** Returns the part of a field that a fault is of: empty for the whole field. Undefined: the fault is of another field. */
function partOf(name: string, reference: string): string | undefined {
  const part = reference.startsWith(name) ? reference.slice(name.length) : undefined;
  return part === undefined || /^($|[.[])/.test(part) ? part : undefined;
}

function textAt(part: string, message: string): string {
  const entry = /^\[(\d+)]$/.exec(part)?.[1];
  const place = entry === undefined ? part.replace(/^\./, '') : texts.common.error.entry(Number(entry) + 1);
  return place === '' ? message.charAt(0).toUpperCase() + message.slice(1) : `${place}: ${message}`;
}

/** Places each fault at the field with its path as name. A fault of a part stands at the field that is nearest. */
function placedFaults(faults: readonly FieldFault[], names: readonly string[]): Placed {
  const longestFirst = [...new Set(names)].sort((a, b) => b.length - a.length);
  const atFields = new Map<string, string>();
  const others = faults.filter(({ reference, message }) => {
    const name = longestFirst.find((each) => partOf(each, reference) !== undefined);
    if (name === undefined) return true;
    const text = textAt(partOf(name, reference)!, message);
    atFields.set(name, [atFields.get(name), text].filter(Boolean).join(' '));
    return false;
  });
  return { atFields, others };
}

/**
 * The fields of a form, with what is wrong with the request that they made: each fault at its field, the first one in view, and
 * the others below the fields. A field has the path of the API's field as its name.
 */
export function FaultedFields({ error, children }: { readonly error: Error | null; readonly children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [placed, setPlaced] = useState(NOTHING);
  useEffect(() => {
    const fields = frame.current?.querySelectorAll('[name], [data-faults-of]') ?? [];
    const names = [...fields].map((field) => field.getAttribute('name') ?? field.getAttribute('data-faults-of')!);
    setPlaced(error instanceof ApiError ? placedFaults(error.faults, names) : NOTHING);
  }, [error]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the faults are in the page when they are placed
  useEffect(() => {
    if (error === null) return;
    const first = frame.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-faulty], [role="alert"]');
    first?.scrollIntoView({ block: 'center' });
    first?.focus({ preventScroll: true });
  }, [placed, error]);
  return (
    <Stack ref={frame}>
      <AtFields.Provider value={placed.atFields}>{children}</AtFields.Provider>
      {error === null ? null : (
        <ErrorAlert title={texts.common.error.changeTitle} error={error} faults={placed.others} />
      )}
    </Stack>
  );
}

/** A text of a form, with what the API found wrong with it. */
export function TextField(props: TextInputProps & { readonly name: string }) {
  return <TextInput error={useContext(AtFields).get(props.name)} {...props} />;
}

/** A text of several lines of a form, with what the API found wrong with it. */
export function LongTextField(props: TextareaProps & { readonly name: string }) {
  return <Textarea error={useContext(AtFields).get(props.name)} {...props} />;
}

/** What the API found wrong with fields that stand above it, such as checkboxes or rows. `name` is their path. */
export function FaultsOf({ name }: { readonly name: string }) {
  const fault = useContext(AtFields).get(name);
  return (
    <div data-faults-of={name} data-faulty={fault === undefined ? undefined : true}>
      {fault === undefined ? null : <Input.Error mt="xs">{fault}</Input.Error>}
    </div>
  );
}
