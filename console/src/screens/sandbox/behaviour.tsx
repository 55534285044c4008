import { TextInput } from '@mantine/core';
import { change } from '../../api/changes';
import { DialogButton } from '../../components/forms/dialog-button';
import { textOf } from '../../components/forms/form-values';
import { Select } from '../../components/forms/select';
import * as texts from '../../texts';
import type { Sandbox } from './types';

/** The button that selects what a partner does with the next print orders. */
export function SetBehaviour(props: { readonly partnerName: string; readonly behaviours: Sandbox['behaviours'] }) {
  const { partnerName, behaviours } = props;
  const t = texts.sandbox.behaviour;
  return (
    <DialogButton
      name={t.name}
      label={t.label(partnerName)}
      explanation={t.explanation}
      button={t.button}
      dialogSize="lg"
      fields={
        <>
          <Select
            name="behaviour"
            label={t.behaviour}
            options={behaviours.map(({ name, summary }) => ({ value: name, label: t.option(name, summary) }))}
            data-autofocus
          />
          <TextInput name="amount" label={t.amount} type="number" min={0} />
          <TextInput name="contains" label={t.contains} maxLength={200} />
          <TextInput name="times" label={t.times} type="number" min={1} />
        </>
      }
      changeOf={({ form }) => {
        const amount = textOf(form, 'amount');
        const contains = textOf(form, 'contains');
        const times = textOf(form, 'times');
        const body = {
          behaviour: String(form.get('behaviour')),
          ...(amount === null ? {} : { amount: Number(amount) }),
          ...(contains === null ? {} : { contains }),
          ...(times === null ? {} : { times: Number(times) }),
        };
        return change('setSandboxBehaviour', { params: { partnerName }, body });
      }}
    />
  );
}

/** The button that removes the rules of a partner. */
export function ClearRules({ partnerName }: { readonly partnerName: string }) {
  const t = texts.sandbox.clear;
  return (
    <DialogButton
      name={t.name}
      label={t.label(partnerName)}
      explanation={t.explanation}
      button={t.button}
      changeOf={() => change('clearSandboxBehaviours', { params: { partnerName } })}
    />
  );
}
