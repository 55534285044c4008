import { Fieldset, SimpleGrid, Stack } from '@mantine/core';
import { change } from '../../api/changes';
import type { Input } from '../../api/types';
import type { FormDialogContent } from '../../components/forms/form-dialog';
import { ObjectFields, type ObjectForm, objectOf } from '../../components/forms/object-fields';
import { choiceOf, optionsOf, Select } from '../../components/forms/select';
import * as texts from '../../texts';
import type { ProductModel } from './types';

type Production = NonNullable<NonNullable<Input<'updateProductModel'>['body']>['production']>;
type Needs = NonNullable<NonNullable<Production['printAreas']>[number]['needs']>;
type Flag = keyof typeof texts.catalog.needs.flags;

const t = texts.catalog.needs;

const FIELDS: ObjectForm<Omit<Needs, Flag | 'fitMethod'>> = {
  labels: t.fields,
  rules: {
    bleedMm: { type: 'number' },
    safeMarginMm: { type: 'number' },
    leastDpi: { type: 'number' },
    warningDpi: { type: 'number' },
    colors: { type: 'words' },
    maxInkPercent: { type: 'number' },
  },
};
const FLAGS = Object.keys(t.flags) as Flag[];
const ANSWERS = optionsOf(t.answers);
const FIT_METHODS = optionsOf(t.fitMethods);

/** Returns the needs of a form, without the empty fields. Undefined: all are those of the family of products. */
function needsOf(form: FormData, name: string): Needs | undefined {
  const flags = FLAGS.flatMap((flag) => {
    const answer = choiceOf(form, `${name}.${flag}`, ANSWERS);
    return answer === undefined ? [] : [[flag, answer === 'yes'] as const];
  });
  const fitMethod = choiceOf(form, `${name}.fitMethod`, FIT_METHODS);
  const needs = { ...objectOf(form, name, FIELDS), ...Object.fromEntries(flags), ...(fitMethod && { fitMethod }) };
  return Object.keys(needs).length === 0 ? undefined : needs;
}

const answerOf = (value: boolean | undefined) => (value === undefined ? undefined : value ? 'yes' : 'no');

/** Returns the dialog that changes what the print areas of a product model need of their files. */
export function needsChangeOf({ id, name, production, ordering }: ProductModel): FormDialogContent {
  const areas = production?.printAreas ?? [];
  const { needs: usual } = ordering;
  return {
    title: t.title(name),
    explanation: t.explanation(t.usual(usual)),
    button: t.button,
    fields: (
      <Stack>
        {areas.map(({ fileType, needs = {} }, at) => (
          <Fieldset key={fileType} legend={fileType}>
            <ObjectFields name={`needs.${at}`} legend={t.measures} form={FIELDS} value={needs} />
            <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs">
              {FLAGS.map((flag) => (
                <Select
                  key={flag}
                  name={`needs.${at}.${flag}`}
                  label={t.flags[flag]}
                  none={t.asUsual(usual[flag])}
                  options={ANSWERS}
                  value={answerOf(needs[flag])}
                />
              ))}
              <Select
                name={`needs.${at}.fitMethod`}
                label={t.fitMethod}
                none={t.usualFit(t.fitMethods[usual.fitMethod])}
                options={FIT_METHODS}
                value={needs.fitMethod}
              />
            </SimpleGrid>
          </Fieldset>
        ))}
      </Stack>
    ),
    changeOf: ({ form }) =>
      change('updateProductModel', {
        params: { id },
        body: {
          production: {
            ...production,
            printAreas: areas.map(({ needs: _, ...area }, at) => {
              const needs = needsOf(form, `needs.${at}`);
              return needs === undefined ? area : { ...area, needs };
            }),
          },
        },
      }),
  };
}
