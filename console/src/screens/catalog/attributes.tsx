import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { DialogButton } from '../../components/forms/dialog-button';
import { TextField } from '../../components/forms/field-faults';
import { textOf, wordsOf } from '../../components/forms/form-values';
import { RowFields, rowText } from '../../components/forms/row-fields';
import { Select } from '../../components/forms/select';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import * as texts from '../../texts';

type Attribute = ApiResponse<'listAttributes'>['attributes'][number];
type Value = Attribute['values'][number];

const t = texts.catalog.attributes;
const ID = '[a-z0-9_.\\-]+';

/** Returns the names of the properties that the values of an attribute have. */
const propertyNames = ({ properties, values }: Attribute) => [
  ...new Set([...properties.map(({ id }) => id), ...values.flatMap((value) => Object.keys(value.properties))]),
];

/** Returns a property of a text: as it was if it says the same, else a number if it looks like one. */
function propertyOf(text: string, earlier: Value['properties'][string] | undefined) {
  if (earlier !== undefined && String(earlier) === text) return earlier;
  if (Array.isArray(earlier)) return text.split(',');
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Returns the values of the form that are new or changed. @throws Error when none is */
function changedValues(form: FormData, attribute: Attribute): Value[] {
  const column = (name: string) => form.getAll(name).map((text) => String(text).trim());
  const descriptions = column('description');
  const properties = propertyNames(attribute).map((name) => [name, column(`property.${name}`)] as const);
  const changed = column('id').flatMap((id, row) => {
    const earlier = attribute.values.find((value) => value.id === id);
    const { isCustom = false, isDefault = false } = earlier ?? {};
    const entries = properties.flatMap(([name, texts]) =>
      texts[row] === '' ? [] : [[name, propertyOf(texts[row]!, earlier?.properties[name])] as const],
    );
    const value = {
      id,
      description: descriptions[row] || null,
      properties: Object.fromEntries(entries),
      isCustom,
      isDefault,
    };
    return JSON.stringify(rowOf(value, attribute)) === JSON.stringify(earlier && rowOf(earlier, attribute))
      ? []
      : value;
  });
  if (changed.length === 0) throw new Error(t.unchanged);
  return changed;
}

const rowOf = ({ id, description, properties }: Value, attribute: Attribute) => [
  id,
  description ?? '',
  ...propertyNames(attribute).map((name) => String(properties[name] ?? '')),
];

function ChangeValues({ attribute }: { readonly attribute: Attribute }) {
  const { id, description, values } = attribute;
  const names = propertyNames(attribute);
  return (
    <DialogButton
      name={t.values}
      label={t.valuesOf(description)}
      explanation={t.valuesExplanation}
      button={t.saveValues}
      size="compact-xs"
      dialogSize="xl"
      fields={
        <RowFields
          name=""
          label={t.values}
          rows={values.map((value) => rowOf(value, attribute))}
          kept={values.length}
          added={['', '', ...names.map(() => '')]}
          add={t.addValue}
          none={t.noValue}
          columns={[
            // The id of a value stays.
            {
              header: t.id,
              field: (value, label) =>
                rowText('id', { required: true, readOnly: value !== '', pattern: ID })(value, label),
            },
            { header: t.description, field: rowText('description') },
            ...names.map((name) => ({ header: name, field: rowText(`property.${name}`) })),
          ]}
        />
      }
      changeOf={({ form }) =>
        change('replaceAttributeValues', { params: { attributeId: id }, body: changedValues(form, attribute) })
      }
    />
  );
}

function RemoveValue({ attribute: { id, description, values } }: { readonly attribute: Attribute }) {
  return (
    <DialogButton
      name={t.remove}
      label={t.removeOf(description)}
      explanation={t.removeExplanation}
      button={t.remove}
      destructive
      size="compact-xs"
      fields={
        <Select
          name="valueId"
          label={t.values}
          options={values.map((value) => ({ value: value.id, label: value.description ?? value.id }))}
        />
      }
      changeOf={({ form }) =>
        change('deleteAttributeValue', { params: { attributeId: id, valueId: textOf(form, 'valueId') ?? '' } })
      }
    />
  );
}

/** The button that adds an attribute, or changes one. */
function PutAttribute({ attribute }: { readonly attribute?: Attribute }) {
  const { id, description = '', properties = [] } = attribute ?? {};
  return (
    <DialogButton
      {...(id === undefined ? { name: t.add } : { name: t.change, label: t.changeOf(description) })}
      explanation={t.addExplanation}
      button={t.save}
      size={id === undefined ? 'xs' : 'compact-xs'}
      fields={
        <>
          {id === undefined ? <TextField name="attributeId" label={t.id} required pattern={ID} /> : null}
          <TextField name="description" label={t.description} required defaultValue={description} />
          <TextField
            name="properties"
            label={t.properties}
            defaultValue={properties.map((property) => property.id).join(', ')}
          />
        </>
      }
      changeOf={({ form }) =>
        change('putAttribute', {
          params: { attributeId: id ?? textOf(form, 'attributeId') ?? '' },
          body: {
            description: textOf(form, 'description') ?? '',
            properties: wordsOf(textOf(form, 'properties')).map(
              (name) => properties.find((property) => property.id === name) ?? { id: name },
            ),
          },
        })
      }
    />
  );
}

const COLUMNS: readonly Column<Attribute>[] = [
  {
    name: t.attribute,
    cell: ({ id, description }) => (
      <Stack gap={0}>
        {description}
        <Text size="xs" c="dimmed">
          {id}
        </Text>
      </Stack>
    ),
  },
  { name: t.values, cell: ({ values }) => values.map(({ id, description }) => description ?? id).join(', ') },
];

/** What product models differ in, with the values. */
export function Attributes() {
  const query = useQuery(read('listAttributes', {}));
  const mayChange = useMay('operator');
  const buttons: Column<Attribute> = {
    name: texts.common.actions,
    cell: (attribute) => (
      <Group gap={4} wrap="nowrap">
        <ChangeValues attribute={attribute} />
        <RemoveValue attribute={attribute} />
        <PutAttribute attribute={attribute} />
      </Group>
    ),
  };
  return (
    <Section title={t.title} actions={mayChange ? <PutAttribute /> : null} folded>
      <PagedTable
        label={t.title}
        query={onePage(query)}
        rowsOf={({ attributes }) => attributes}
        columns={mayChange ? [...COLUMNS, buttons] : COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.addExplanation, asLine: true }}
      />
    </Section>
  );
}
