import { TextInput } from '@mantine/core';
import { change } from '../../api/changes';
import { useMay } from '../../api/session';
import { DialogButton } from '../../components/forms/dialog-button';
import { textOf } from '../../components/forms/form-values';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import * as texts from '../../texts';
import type { Sandbox } from './types';

type Carrier = Sandbox['carriers'][number];

const t = texts.sandbox.carriers;

const COLUMNS: readonly Column<Carrier>[] = [
  { name: t.columns.carrier, cell: ({ uid }) => uid },
  {
    name: t.columns.labels,
    cell: ({ labelRefusal }) =>
      labelRefusal === null ? t.sells : <Badge tone="danger">{t.refuses(labelRefusal)}</Badge>,
  },
];

const BUTTONS: Column<Carrier> = {
  name: t.columns.buttons,
  cell: ({ uid, labelRefusal }) => (labelRefusal === null ? <RefuseLabels uid={uid} /> : <SellLabels uid={uid} />),
};

/** The carriers of the sandbox, and buttons with which they refuse to sell labels. */
export function Carriers({ carriers }: Pick<Sandbox, 'carriers'>) {
  const mayControl = useMay('operator');
  return (
    <Section title={t.title}>
      <DataTable
        label={t.title}
        columns={mayControl ? [...COLUMNS, BUTTONS] : COLUMNS}
        rows={carriers}
        keyOf={({ uid }) => uid}
      />
    </Section>
  );
}

function RefuseLabels({ uid }: { readonly uid: string }) {
  return (
    <DialogButton
      name={t.refuse.name}
      label={t.refuse.label(uid)}
      explanation={t.refuse.explanation}
      button={t.refuse.name}
      fields={<TextInput name="message" label={t.refuse.message} required maxLength={500} data-autofocus />}
      changeOf={({ form }) =>
        change('setSandboxLabelFault', {
          params: { carrierUid: uid },
          body: { message: textOf(form, 'message') ?? '' },
        })
      }
    />
  );
}

function SellLabels({ uid }: { readonly uid: string }) {
  return (
    <DialogButton
      name={t.sell.name}
      label={t.sell.label(uid)}
      explanation={t.sell.explanation}
      button={t.sell.name}
      changeOf={() => change('clearSandboxLabelFault', { params: { carrierUid: uid } })}
    />
  );
}
