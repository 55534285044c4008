import { Group, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Badge } from '../../components/values/badge';
import { Age } from '../../components/values/time';
import { texts } from '../../texts';
import type { Tone } from '../../texts/names';
import { STEPS } from '../../texts/order';
import type { OperatorOrder } from './types';

type Event = OperatorOrder['events'][number];

const t = texts.order.outcome;

/** What a repair or change has come to: `done`, `waits` for someone, or `refused`, with the words of who refused it. */
interface Outcome {
  readonly state: keyof typeof t.states;
  readonly text?: string;
}

const TONES: Readonly<Record<Outcome['state'], Tone>> = { done: 'success', waits: 'warning', refused: 'danger' };

/** Events after a repair that say that it has not worked. */
const REFUSED: ReadonlySet<string> = new Set([
  'partner_cancel_refused',
  'print_order_refused',
  'print_order_undeliverable',
  'order_parked',
  'files_held',
  'order_refused',
  'reroute_withdrawn',
  'reproduce_withdrawn',
]);
/** The events after a repair that say that it has worked. Repairs that are not listed work at once. */
const DONE: Readonly<Record<string, string>> = {
  cancel_requested: 'partner_cancel_confirmed',
  cancel_items: 'partner_cancel_confirmed',
  cancel_units: 'units_cancelled',
  reroute_requested: 'reroute',
  reproduce_requested: 'reproduce',
};
/** Repairs that have worked when a partner has accepted a print order after them. */
const SENDING: ReadonlySet<string> = new Set(['reroute', 'reproduce', 'retry']);

/** Returns the words of an event: of a partner, of a host, or of the order run. */
export function wordsOf(data: Event['data']): string {
  const words = data.message ?? data.reason ?? data.why;
  return typeof words === 'string' ? words : '';
}

function outcomeOf(repair: Event, after: readonly Event[], order: OperatorOrder): Outcome {
  const { fulfillmentStatus, printOrders, nextStep } = order;
  const done = DONE[repair.type];
  if ((done === undefined && !SENDING.has(repair.type)) || fulfillmentStatus === 'canceled') return { state: 'done' };
  const nameOf = (id: string | null) => printOrders.find((each) => each.id === id)?.partnerUid ?? '';
  const since = Date.parse(repair.at);
  const refused = after.findLast(({ type }) => REFUSED.has(type));
  const accepted = SENDING.has(repair.type)
    ? printOrders.findLast(({ acceptedAt }) => acceptedAt !== null && Date.parse(acceptedAt) >= since)
    : undefined;
  if (accepted !== undefined) return { state: 'done', text: t.by(accepted.partnerUid) };
  if (refused !== undefined) {
    const text = [nameOf(refused.printOrderId), wordsOf(refused.data)].filter((part) => part !== '').join(': ');
    return { state: 'refused', text };
  }
  // A partner that has nothing of cancelled items is not asked.
  const isDone = ({ type, data }: Event) =>
    type === done || (repair.type === 'cancel_items' && type === 'status' && data.status === 'cancelled');
  return after.some(isDone) ? { state: 'done' } : { state: 'waits', text: t.waitsFor(nextStep.partnerUid) };
}

/** What came of the latest repair or change of an operator or the client. */
export function LatestOutcome({ order }: { readonly order: OperatorOrder }) {
  const index = order.events.findLastIndex(({ data }) => typeof data.by === 'string');
  const repair = order.events[index];
  if (repair === undefined) return null;
  const { state, text = '' } = outcomeOf(repair, order.events.slice(index + 1), order);
  return (
    <Group gap="sm" role="status" aria-label={t.title}>
      <Badge tone={TONES[state]}>{t.states[state]}</Badge>
      <Text size="sm" fw={500}>
        {t.change(texts.names.code(repair.type), String(repair.data.by))}
      </Text>
      <Text size="xs" c="dimmed">
        <Age at={repair.at} />
      </Text>
      {text === '' ? null : <Text size="sm">{text}</Text>}
    </Group>
  );
}

/** The steps that are tried again, each with the error of its latest attempt. */
function FailingSteps({ steps }: { readonly steps: OperatorOrder['failingSteps'] }) {
  return (
    <Stack gap={2} role="group" aria-label={t.problem}>
      {steps.map(({ step, attempts, message, nextAttemptAt }) => (
        <Fragment key={step}>
          <Text size="sm" fw={500}>
            {t.failing(STEPS[step] ?? step, attempts)}{' '}
            {nextAttemptAt === null ? (
              t.now
            ) : (
              <>
                {t.nextAttempt} <Age at={nextAttemptAt} />
              </>
            )}
          </Text>
          <Text size="sm">{message}</Text>
        </Fragment>
      ))}
    </Stack>
  );
}

const PROBLEMS: ReadonlySet<string> = new Set([
  ...REFUSED,
  'postback_error',
  'dispatch_failed',
  'partner_not_updated',
  'label_not_voided',
]);

/** The latest sentence of a partner, a host or the order run about what is wrong. Nothing while nothing is wrong. */
export function Problem({ order }: { readonly order: OperatorOrder }) {
  const { attention, failingSteps } = order;
  if (failingSteps.length > 0) return <FailingSteps steps={failingSteps} />;
  if (attention.length === 0) return null;
  const event = order.events.findLast((each) => PROBLEMS.has(each.type) && wordsOf(each.data) !== '');
  if (event === undefined) return null;
  const partner = order.printOrders.find(({ id }) => id === event.printOrderId)?.partnerUid;
  return (
    <Stack gap={2} role="group" aria-label={t.problem}>
      <Text size="sm" fw={500}>
        {partner === undefined ? texts.names.code(event.type) : t.said(partner)}
      </Text>
      <Text size="sm">{wordsOf(event.data)}</Text>
    </Stack>
  );
}
