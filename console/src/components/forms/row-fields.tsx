import { Button, Stack, Table, Text, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import * as texts from '../../texts';
import { FaultsOf } from './field-faults';

interface RowColumn {
  readonly header: string;
  readonly width?: string;
  /** Returns the field of a row with its value. The label names the column and the row. */
  readonly field: (value: string, label: string) => ReactNode;
}

const t = texts.common.rows;

/** Returns the field of a column of texts. `name` is its name in the form. */
export const rowText =
  (name: string, props: TextInputProps = {}): RowColumn['field'] =>
  (value, label) => <TextInput name={name} aria-label={label} defaultValue={value} {...props} />;

/** Fields in rows that are added and removed, such as prices by quantity. Fields of a column have one name in the form. */
export function RowFields(props: {
  /** The path of what the rows hold in the API. */
  readonly name: string;
  readonly label: string;
  readonly columns: readonly RowColumn[];
  /** The values of the rows, in the order of the columns. */
  readonly rows: readonly (readonly string[])[];
  /** The values of a row that is added. */
  readonly added: readonly string[];
  readonly add: string;
  /** How many of the first rows cannot be removed. Default: none. */
  readonly kept?: number;
  /** Shown without a row. */
  readonly none: string;
}) {
  const { label, columns, added, add, kept = 0, none } = props;
  // The key of a row stays when other rows are removed.
  const [rows, setRows] = useState(() => props.rows.map((values, key) => ({ key, values })));
  return (
    <Stack gap="xs" align="flex-start">
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <Table aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ header, width }) => (
                <Table.Th key={header} scope="col" {...(width === undefined ? {} : { w: width })}>
                  {header}
                </Table.Th>
              ))}
              <Table.Th scope="col">{texts.common.actions}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ key, values }, index) => (
              <Table.Tr key={key}>
                {columns.map(({ header, field }, column) => (
                  <Table.Td key={header}>{field(values[column]!, t.cell(header, index + 1))}</Table.Td>
                ))}
                <Table.Td>
                  {index < kept ? null : (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={t.cell(t.remove, index + 1)}
                      onClick={() => setRows(rows.filter((row) => row.key !== key))}
                    >
                      {t.remove}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Button
        size="xs"
        variant="default"
        onClick={() => setRows([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, values: added }])}
      >
        {add}
      </Button>
      <FaultsOf name={props.name} />
    </Stack>
  );
}
