import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { change } from '../../../api/changes';
import type { Input } from '../../../api/types';
import { DialogForm } from '../../../components/forms/dialog-form';
import { Select } from '../../../components/forms/select';
import { Fold } from '../../../components/layout/fold';
import { calendarDay } from '../../../components/values/days';
import * as texts from '../../../texts';
import type { AttentionReason } from '../../../texts/names';
import { REPAIRS } from '../../../texts/order';
import type { OperatorOrder, PossibleRepair, RepairFormProps } from '../types';
import { CancelForm } from './cancel-form';
import { ChangeShippingForm } from './change-shipping-form';
import { ClaimForm } from './claim-form';
import { RefundForm } from './refund-form';
import { ReprintForm } from './reprint-form';
import { allUnits, Effect, nameOf, Told, unitsInWords } from './units';

type Repair = Input<'repairOrder'>['body'];

const t = texts.order;

/** The repairs that have forms of their own. */
const FORMS: { readonly [Action in PossibleRepair['action']]?: (props: RepairFormProps) => ReactNode } = {
  cancel: CancelForm,
  change_shipping: ChangeShippingForm,
  claim: ClaimForm,
  refund: RefundForm,
  reprint: ReprintForm,
  revive: ReviveForm,
};

/** What they end cannot be brought back. */
const DESTRUCTIVE: readonly PossibleRepair['action'][] = ['cancel'];

/** The repairs that help an order, the one that changes the least first. */
const HELPING: readonly PossibleRepair['action'][] = ['retry', 'reroute', 'reproduce', 'refund', 'dismiss'];
/** The same for an order whose partner does not make it. */
const ELSEWHERE: readonly PossibleRepair['action'][] = ['reroute', 'retry', 'reproduce', 'refund', 'cancel'];
const UNMADE: readonly AttentionReason[] = ['partner_refused', 'partner_unreachable', 'partner_cancelled'];

/** Returns true unless the repair needs a partner and there is none. */
const isUseful = ({ action, reroutes }: PossibleRepair): boolean =>
  reroutes.every(({ partners }) => partners.some((partner) => isChoice(partner, action)));

/** Returns whether routing can give an item to a partner. A reroute is to another one. */
const isChoice = (
  { rejected, current }: PossibleRepair['reroutes'][number]['partners'][number],
  action: PossibleRepair['action'],
): boolean => rejected === null && !(current && action === 'reroute');

/** Returns the repair that the order waits for. Undefined: it waits for someone else. */
function recommendedOf(order: OperatorOrder): PossibleRepair['action'] | undefined {
  const { nextStep, possibleRepairs, attention, fulfillmentStatus } = order;
  if (possibleRepairs.some(({ action }) => action === 'revive')) return 'revive';
  if (nextStep.waitsFor === 'release') return 'release';
  // The claim itself has the button for its decision.
  if (attention.includes('claim')) return undefined;
  if (fulfillmentStatus === 'returned' || fulfillmentStatus === 'failed') return 'reprint';
  if (nextStep.who !== 'operator') return undefined;
  const helping = attention.some((reason) => UNMADE.includes(reason)) ? ELSEWHERE : HELPING;
  return helping.find((action) => possibleRepairs.some((repair) => repair.action === action && isUseful(repair)));
}

/** The repairs that the order accepts now, and why it does not accept the others, by the rules of its workflow. */
export function Repairs({ order }: { readonly order: OperatorOrder }) {
  const [open, setOpen] = useState<PossibleRepair | null>(null);
  const recommended = recommendedOf(order);
  const repairs = [...order.possibleRepairs].sort(
    (a, b) => Number(b.action === recommended) - Number(a.action === recommended),
  );
  const Form = (open === null ? undefined : FORMS[open.action]) ?? RepairForm;
  if (repairs.length === 0 && order.impossibleRepairs.length === 0) return null;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {repairs.map((repair) => (
          <Button
            key={repair.action}
            variant={repair.action === recommended ? 'filled' : 'default'}
            {...(DESTRUCTIVE.includes(repair.action)
              ? { color: 'red', ...(repair.action === recommended ? {} : { variant: 'outline' }) }
              : {})}
            onClick={() => setOpen(repair)}
          >
            {REPAIRS[repair.action].name}
          </Button>
        ))}
      </Group>
      <Impossible repairs={order.impossibleRepairs} />
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === null ? '' : REPAIRS[open.action].name}
        withCloseButton={false}
        size={open !== null && open.action in FORMS ? 'lg' : 'md'}
      >
        {open === null ? null : <Form order={order} repair={open} onClose={() => setOpen(null)} />}
      </Modal>
    </Stack>
  );
}

function Impossible({ repairs }: { readonly repairs: OperatorOrder['impossibleRepairs'] }) {
  if (repairs.length === 0) return null;
  return (
    <Fold summary={t.impossible(repairs.length)}>
      <Stack gap="xs">
        {repairs.map(({ action, reason }) => (
          <Group key={action} gap="sm" wrap="nowrap">
            <Button size="compact-sm" variant="default" disabled>
              {REPAIRS[action].name}
            </Button>
            <Text size="sm">{reason}</Text>
          </Group>
        ))}
      </Stack>
    </Fold>
  );
}

/** Starts the workflow of an order again that is gone. */
function ReviveForm({ order, onClose }: RepairFormProps) {
  return (
    <DialogForm<unknown>
      explanation={REPAIRS.revive.explanation}
      button={REPAIRS.revive.button}
      changeOf={({ reason }) => change('reviveOrder', { params: { orderId: order.id }, body: { reason } })}
      withReason
      onClose={onClose}
    />
  );
}

function RepairForm(props: RepairFormProps) {
  const { order, repair, onClose } = props;
  const { explanation, button } = REPAIRS[repair.action];
  const [itemId, setItemId] = useState(repair.reroutes[0]?.itemId ?? '');
  const [partnerId, setPartnerId] = useState<string>();
  const [force, setForce] = useState(false);
  const [printOrderId, setPrintOrderId] = useState(repair.printOrderIds[0]);
  const [trackingCode, setTrackingCode] = useState('');
  const rerouted = repair.reroutes.find((each) => each.itemId === itemId);
  const isForced = force || rerouted?.needsForce === true;
  const bodyWith = (reason: string) => {
    const placed = { itemId, partnerId: partnerId ?? null, ...(isForced ? { force: true } : {}) };
    const shipped = { printOrderId, trackingCode: trackingCode.trim() || null };
    return {
      action: repair.action,
      reason,
      ...(rerouted === undefined ? {} : placed),
      ...(printOrderId === undefined ? {} : shipped),
    } as Repair;
  };
  const itemOf = (id: string) => order.items.find((item) => item.id === id)!;
  const partners = rerouted?.partners.filter((partner) => isChoice(partner, repair.action)) ?? [];
  // Routing chooses the first one.
  const chosen = partners.find((partner) => partner.partnerId === partnerId) ?? partners[0];
  const promised = order.promise === null ? null : calendarDay(order.promise.maxDeliveryDate);
  const hasNone = rerouted !== undefined && partners.length === 0;
  const affected =
    rerouted === undefined
      ? allUnits(order.items.filter(({ id }) => repair.itemIds.includes(id)))
      : { [itemOf(rerouted.itemId).itemReferenceId]: rerouted.quantity };
  const units = unitsInWords(order.items, affected);
  const fields = (
    <>
      {units === '' ? null : <Effect>{t.concerns(REPAIRS[repair.action].name, units)}</Effect>}
      <Told order={order} action={repair.action} itemIds={rerouted === undefined ? repair.itemIds : [itemId]} />
      {repair.reasons.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          {repair.reasons.map(texts.names.reason).join(', ')}
        </Text>
      )}
      {printOrderId === undefined ? null : (
        <>
          <Select
            label={t.printOrder}
            value={printOrderId}
            onChange={setPrintOrderId}
            options={repair.printOrderIds.map((id) => ({ value: id, label: id }))}
          />
          <TextInput
            label={t.trackingCode}
            value={trackingCode}
            maxLength={100}
            onChange={(event) => setTrackingCode(event.currentTarget.value)}
          />
        </>
      )}
      {rerouted === undefined ? null : (
        <>
          <Select
            label={t.item}
            value={itemId}
            onChange={setItemId}
            options={repair.reroutes.map((each) => ({ value: each.itemId, label: nameOf(itemOf(each.itemId)) }))}
          />
          <Select
            label={t.partner}
            none={t.choose}
            value={partnerId}
            onChange={setPartnerId}
            options={partners.map((partner) => ({
              value: partner.partnerId,
              label: t.partnerOption(partner),
            }))}
          />
          {hasNone ? null : (
            <Text size="sm" c="dimmed">
              {chosen?.deliveryDate == null ? '' : `${t.newPromise(calendarDay(chosen.deliveryDate), promised)} `}
              {t.priceStays}
            </Text>
          )}
          <Checkbox
            label={t.force}
            checked={isForced}
            disabled={rerouted.needsForce}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
        </>
      )}
    </>
  );
  return (
    <DialogForm
      explanation={explanation}
      button={button}
      changeOf={({ reason }) => change('repairOrder', { params: { orderId: order.id }, body: bodyWith(reason) })}
      withReason
      blocked={
        hasNone
          ? t.noPartner(
              rerouted.partners.flatMap(({ partnerUid, rejected }) =>
                rejected === null ? [] : [t.rejected(partnerUid, rejected.detail)],
              ),
            )
          : null
      }
      fields={fields}
      onClose={onClose}
    />
  );
}
