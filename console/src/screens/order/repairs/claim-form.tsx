import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../../api/changes';
import type { ApiResponse } from '../../../api/types';
import { DialogForm } from '../../../components/forms/dialog-form';
import { LongTextField } from '../../../components/forms/field-faults';
import { textOf, wordsOf } from '../../../components/forms/form-values';
import { choiceOf, optionsOf, Select } from '../../../components/forms/select';
import * as texts from '../../../texts';
import { REPAIRS } from '../../../texts/order';
import { UploadField, useStoredFile } from '../files/file-field';
import type { OperatorOrder, RepairFormProps } from '../types';
import { chosenOf, Refunded, UnitFields, type Units } from './units';

const t = texts.order.claim;
const REASONS = optionsOf(t.reasons);
const SIDES = optionsOf(t.sides);
const DECISIONS = optionsOf(t.decisions);
type Decision = keyof typeof t.decisions;

/** Reports units that have shipped as lost, damaged or wrong, and then decides on them. */
export function ClaimForm({ order, repair, onClose }: RepairFormProps) {
  const items = order.items.filter(({ id }) => repair.itemIds.includes(id));
  const [units, setUnits] = useState<Units>(() =>
    Object.fromEntries(items.map(({ itemReferenceId, quantity }) => [itemReferenceId, quantity])),
  );
  const [pictures, setPictures] = useState('');
  const store = useStoredFile(order.id);
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const url = await store(file);
      setPictures((before) => `${before}\n${url}`.trim());
    },
  });
  const [claim, setClaim] = useState<ApiResponse<'makeClaim'>>();
  if (claim !== undefined) return <DecisionForm order={order} claimId={claim.id} onClose={onClose} />;
  return (
    <DialogForm
      explanation={REPAIRS.claim.explanation}
      button={texts.common.next}
      changeOf={({ form }) => {
        const chosen = chosenOf(items, units);
        if (chosen.length === 0) throw new Error(texts.order.units.none);
        return change('makeClaim', {
          params: { orderId: order.id },
          body: {
            reason: choiceOf(form, 'reason', REASONS)!,
            items: chosen.map(({ item: { itemReferenceId }, quantity }) => ({ itemReferenceId, quantity })),
            note: textOf(form, 'note'),
            pictures: wordsOf(textOf(form, 'pictures')),
          },
        });
      }}
      fields={
        <>
          <Select name="reason" label={t.reason} options={REASONS} data-autofocus />
          <UnitFields items={items} units={units} onChange={setUnits} />
          <LongTextField name="note" label={t.note} maxLength={1_000} />
          <UploadField label={t.drop} upload={upload}>
            <LongTextField
              name="pictures"
              label={t.pictures}
              value={pictures}
              onChange={(event) => setPictures(event.currentTarget.value)}
            />
          </UploadField>
        </>
      }
      onClose={onClose}
      onDone={setClaim}
    />
  );
}

/** Returns the units of a claim that are not settled. */
const unitsOf = ({ claims }: OperatorOrder, claimId: string): Units =>
  Object.fromEntries(
    (claims.find(({ id }) => id === claimId)?.items ?? []).flatMap(({ itemReferenceId, quantity, outcome }) =>
      outcome === null ? [[itemReferenceId, quantity]] : [],
    ),
  );

/** Decides on a claim: its units are made again or refunded, or it is refused. */
export function DecisionForm(props: {
  readonly order: OperatorOrder;
  readonly claimId: string;
  readonly onClose: () => void;
}) {
  const { order, claimId, onClose } = props;
  const [decision, setDecision] = useState<Decision>('replace');
  const partners = order.possibleRepairs
    .find(({ action }) => action === 'reproduce')
    ?.reroutes[0]?.partners.filter(({ rejected }) => rejected === null);
  return (
    <DialogForm<unknown>
      explanation={t.explanation}
      button={t.button}
      withReason
      changeOf={({ form, reason }) => {
        const message = textOf(form, 'message');
        const liable = choiceOf(form, 'liable', SIDES)!;
        const partnerId = textOf(form, 'partnerId');
        return change('decideClaim', {
          params: { orderId: order.id, claimId },
          body:
            decision === 'refuse'
              ? { decision, message, reason }
              : { decision, liable, message, reason, ...(partnerId === null ? {} : { partnerId }) },
        });
      }}
      fields={
        <>
          <Select label={t.decision} value={decision} onChange={setDecision} options={DECISIONS} data-autofocus />
          {decision === 'refund' ? <Refunded order={order} units={unitsOf(order, claimId)} /> : null}
          {decision === 'refuse' ? null : <Select name="liable" label={t.liable} options={SIDES} />}
          {decision !== 'replace' || partners === undefined ? null : (
            <Select
              name="partnerId"
              label={texts.order.partner}
              none={texts.order.choose}
              options={partners.map((partner) => ({
                value: partner.partnerId,
                label: texts.order.partnerOption(partner),
              }))}
            />
          )}
          <LongTextField name="message" label={t.message} maxLength={500} />
        </>
      }
      onClose={onClose}
    />
  );
}
