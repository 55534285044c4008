import { NativeSelect, TextInput } from '@mantine/core';
import { call } from '../../api/call';
import { Act } from '../../components/act';
import { textOf } from '../../components/form-fields';
import { texts } from '../../texts';
import type { Sandbox } from './sandbox-screen';

/** The button that selects what a partner does with the next print orders. */
export function SetBehaviour(props: {
  readonly partnerName: string;
  readonly behaviours: Sandbox['behaviours'];
}) {
  const { partnerName, behaviours } = props;
  const t = texts.sandbox.behaviour;
  return (
    <Act
      name={t.name}
      label={t.label(partnerName)}
      explanation={t.explanation}
      button={t.button}
      dialogSize="lg"
      fields={
        <>
          <NativeSelect
            name="behaviour"
            label={t.behaviour}
            data={behaviours.map(({ name, summary }) => ({ value: name, label: t.option(name, summary) }))}
            data-autofocus
          />
          <TextInput name="amount" label={t.amount} type="number" min={0} />
          <TextInput name="contains" label={t.contains} maxLength={200} />
          <TextInput name="times" label={t.times} type="number" min={1} />
        </>
      }
      run={({ form, idempotencyKey }) => {
        const amount = textOf(form, 'amount');
        const contains = textOf(form, 'contains');
        const times = textOf(form, 'times');
        const body = {
          behaviour: String(form.get('behaviour')),
          ...(amount === null ? {} : { amount: Number(amount) }),
          ...(contains === null ? {} : { contains }),
          ...(times === null ? {} : { times: Number(times) }),
        };
        return call('setSandboxBehaviour', { params: { partnerName }, body }, { idempotencyKey });
      }}
    />
  );
}

/** The button that removes the rules of a partner. */
export function ClearRules({ partnerName }: { readonly partnerName: string }) {
  const t = texts.sandbox.clear;
  return (
    <Act
      name={t.name}
      label={t.label(partnerName)}
      explanation={t.explanation}
      button={t.button}
      run={({ idempotencyKey }) =>
        call('clearSandboxBehaviours', { params: { partnerName } }, { idempotencyKey })
      }
    />
  );
}
