import { Checkbox, Fieldset, Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import type { ApiResponse, Input } from '../../api/types';
import { DialogButton } from '../../components/forms/dialog-button';
import { FaultsOf, LongTextField, TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import { ObjectFields, type ObjectForm, objectOf } from '../../components/forms/object-fields';
import { optionsOf, Select } from '../../components/forms/select';
import { Link } from '../../components/values/link';
import * as texts from '../../texts';
import { type ModelChange, PreviewedFields } from './model-preview';
import { areasOf, PackingFields, PrintAreaFields, packedOf } from './production-fields';
import type { ProductModel } from './types';

type Production = NonNullable<ModelChange['production']>;
type NewModel = NonNullable<Input<'createProductModel'>['body']>;
type Attribute = ApiResponse<'listAttributes'>['attributes'][number];

const t = texts.catalog.form;

/** The fields of a production spec that have one of their own. */
const SPEC: ObjectForm<Pick<Production, keyof typeof t.spec>> = {
  labels: t.spec,
  rules: {
    kind: { options: optionsOf(t.kinds) },
    partType: { options: optionsOf(t.partTypes) },
    taxCategory: { options: optionsOf(t.taxCategories) },
    weightGrams: { type: 'number' },
    packagingWeightGrams: { type: 'number' },
    unitsPerPackage: { type: 'number' },
  },
};
/** Those that other dialogs change. */
const ELSEWHERE = ['priceList', 'priceFactors'];
/** Those that have rows or a choice. */
const COMPOSED = ['printAreas', 'packed'];

const pick = (spec: Production, isPicked: (name: string) => boolean): Production =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => isPicked(name)));
const isOther = (name: string) => !(name in t.spec) && ![...ELSEWHERE, ...COMPOSED].includes(name);

/** @throws SyntaxError for a text that is not JSON */
const jsonOf = (form: FormData, name: string) => JSON.parse(textOf(form, name) ?? 'null');

/** Returns what the fields hold that new and existing product models have. */
const commonOf = (form: FormData, earlier: Production, packed = packedOf(form)) => ({
  name: textOf(form, 'name') ?? '',
  categoryId: textOf(form, 'categoryId') ?? '',
  description: textOf(form, 'description') ?? '',
  previewURL: textOf(form, 'previewURL') ?? '',
  production: {
    ...pick(earlier, (name) => ELSEWHERE.includes(name)),
    ...jsonOf(form, 'production'),
    ...objectOf(form, 'production', SPEC),
    printAreas: areasOf(form, earlier.printAreas ?? []),
    ...(packed === undefined ? {} : { packed }),
  } as Production,
});

/** Returns the template and the parts, which only drafts can change. */
const draftOf = (form: FormData) => ({
  productUidTemplate: textOf(form, 'productUidTemplate') ?? '',
  parts: (jsonOf(form, 'parts') ?? []) as NonNullable<NewModel['parts']>,
});

/** Returns the values of an attribute that the form offers. All of them: null, which has later ones too. */
function offerOf(form: FormData, { id, values }: Attribute) {
  const valueIds = form.getAll(`offered.${id}`).map(String);
  return {
    id,
    valueIds: valueIds.length === values.length ? null : valueIds,
    defaultValueId: textOf(form, `default.${id}`),
  };
}

/** The fields of a product model. `isDraft`: those that only a draft can change are open. */
function ModelFields({ model, isDraft }: { readonly model: ProductModel | null; readonly isDraft: boolean }) {
  const { production = {} } = model ?? {};
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextField name="name" label={t.name} required defaultValue={model?.name ?? ''} />
        <TextField name="categoryId" label={t.category} required defaultValue={model?.categoryId ?? ''} />
        <TextField name="description" label={t.description} defaultValue={model?.description ?? ''} />
        <TextField name="previewURL" label={t.preview} type="url" defaultValue={model?.previewURL ?? ''} />
      </SimpleGrid>
      <TextField
        name="productUidTemplate"
        label={t.template}
        placeholder={t.templateHint}
        required
        disabled={!isDraft}
        defaultValue={model?.productUidTemplate ?? ''}
      />
      <ObjectFields name="production" legend={t.production} form={SPEC} value={production} />
      <PackingFields packed={production.packed} />
      <PrintAreaFields areas={production.printAreas ?? []} />
      <LongTextField
        name="production"
        label={t.others}
        autosize
        maxRows={12}
        defaultValue={JSON.stringify(pick(production, isOther), null, 2)}
      />
      {isDraft ? (
        <LongTextField
          name="parts"
          label={t.parts}
          autosize
          maxRows={8}
          defaultValue={JSON.stringify(model?.parts ?? [], null, 2)}
        />
      ) : null}
    </>
  );
}

function OfferFields({
  model,
  attributes,
}: {
  readonly model: ProductModel;
  readonly attributes: readonly Attribute[];
}) {
  return (
    <>
      {attributes.map(({ id, description, values }) => {
        const { valueIds = null, defaultValueId = null } = model.attributes.find((each) => each.id === id) ?? {};
        return (
          <Fieldset key={id} legend={description}>
            <Checkbox.Group label={t.offered(description)} defaultValue={valueIds ?? values.map((value) => value.id)}>
              <Group gap="sm">
                {values.map((value) => (
                  <Checkbox
                    key={value.id}
                    name={`offered.${id}`}
                    value={value.id}
                    label={value.description ?? value.id}
                  />
                ))}
              </Group>
            </Checkbox.Group>
            <Select
              name={`default.${id}`}
              label={t.default}
              none={t.noDefault}
              value={defaultValueId ?? ''}
              options={values
                .filter(({ isCustom }) => !isCustom)
                .map((value) => ({ value: value.id, label: value.description ?? value.id }))}
            />
          </Fieldset>
        );
      })}
      <FaultsOf name="attributes" />
    </>
  );
}

/** The button that changes a product model: its texts, the values that it offers, its production. */
export function EditModel({ model }: { readonly model: ProductModel }) {
  const { data } = useQuery({ ...read('listAttributes', {}), refetchInterval: false });
  if (data === undefined) return null;
  const attributes = model.attributes.flatMap(({ id }) => data.attributes.find((each) => each.id === id) ?? []);
  const isDraft = model.state === 'draft';
  const changeOf = (form: FormData): ModelChange => ({
    ...commonOf(form, model.production ?? {}),
    ...(isDraft ? draftOf(form) : {}),
    // Another template has other attributes.
    ...(isDraft && textOf(form, 'productUidTemplate') !== model.productUidTemplate
      ? {}
      : { attributes: attributes.map((attribute) => offerOf(form, attribute)) }),
  });
  return (
    <DialogButton
      name={t.edit}
      explanation={t.editExplanation}
      button={t.editButton}
      dialogSize="xl"
      fields={
        <PreviewedFields model={model} changeOf={changeOf}>
          <ModelFields model={model} isDraft={isDraft} />
          <OfferFields model={model} attributes={attributes} />
        </PreviewedFields>
      }
      changeOf={({ form }) => change('updateProductModel', { params: { id: model.id }, body: changeOf(form) })}
    />
  );
}

/** The button that adds a draft of a product model, which can be the copy of another. */
export function AddModel({ models }: { readonly models: readonly ProductModel[] }) {
  const [copied, setCopied] = useState<string>();
  const model = models.find(({ id }) => id === copied) ?? null;
  return (
    <DialogButton
      name={t.add}
      explanation={t.addExplanation}
      button={t.addButton}
      dialogSize="xl"
      fields={
        <Stack>
          <Select
            label={t.copied}
            none={t.noCopy}
            value={copied}
            onChange={setCopied}
            options={models.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <TextField name="id" label={t.id} placeholder={t.idHint} />
          <ModelFields key={copied} model={model} isDraft />
        </Stack>
      }
      changeOf={({ form }) => {
        const id = textOf(form, 'id');
        return change('createProductModel', {
          body: { ...commonOf(form, model?.production ?? {}), ...draftOf(form), ...(id === null ? {} : { id }) },
        });
      }}
      result={({ id, name }) => (
        <>
          {t.added}{' '}
          <Link to="/catalog/models/$modelId" params={{ modelId: id }}>
            {name}
          </Link>
        </>
      )}
    />
  );
}
