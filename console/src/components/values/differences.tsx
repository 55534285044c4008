import { Code, Text } from '@mantine/core';
import * as texts from '../../texts';
import { type Column, DataTable } from '../lists/data-table';

/** A value that differs between two versions of an object, with its path. */
interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Entries = Readonly<Record<string, unknown>>;

const t = texts.common.differences;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns the name of an entry of a list: what tells it from others, else its number. */
function entryName(entry: unknown, index: number): string {
  const { id, fileType, from, validFrom } = (isObject(entry) ? entry : {}) as Entries;
  const key = id ?? fileType ?? (from === undefined ? index + 1 : [from, validFrom].filter(Boolean).join(' '));
  return `[${key}]`;
}

/** Returns the entries of an object, or of a list of objects. Null: the value is shown as a whole. */
function entriesOf(value: unknown): Entries | null {
  if (!Array.isArray(value)) return isObject(value) ? (value as Entries) : null;
  if (!value.some(isObject)) return value.length === 0 ? {} : null;
  return Object.fromEntries(value.map((entry, index) => [entryName(entry, index), entry]));
}

function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  const [old, changed] = [entriesOf(before), entriesOf(after)];
  if ((old ?? changed) !== null && (old !== null || before == null) && (changed !== null || after == null)) {
    return [...new Set([...Object.keys(old ?? {}), ...Object.keys(changed ?? {})])].flatMap((name) =>
      differencesOf(
        old?.[name],
        changed?.[name],
        path === '' ? name : name.startsWith('[') ? `${path}${name}` : `${path}.${name}`,
      ),
    );
  }
  return JSON.stringify(before ?? null) === JSON.stringify(after ?? null) ? [] : [{ path, before, after }];
}

function textOf(value: unknown): string {
  if (value == null || value === '') return texts.common.none;
  return isObject(value) ? (Array.isArray(value) ? value.join(', ') : JSON.stringify(value)) : String(value);
}

const COLUMNS: readonly Column<Difference>[] = [
  { name: t.columns.field, cell: ({ path }) => <Code>{path}</Code> },
  { name: t.columns.before, cell: ({ before }) => textOf(before) },
  { name: t.columns.after, cell: ({ after }) => textOf(after) },
];

/** What differs between two versions of an object, a row for each value. */
export function Differences({ before, after }: { readonly before: object | null; readonly after: object | null }) {
  const differences = differencesOf(before, after);
  if (differences.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t.none}
      </Text>
    );
  return <DataTable label={t.title} columns={COLUMNS} rows={differences} keyOf={({ path }) => path} />;
}
