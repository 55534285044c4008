import { Group, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Badge } from '../../components/values/badge';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import type { Tone } from '../../texts/names';
import { STEPS } from '../../texts/order';
import type { OperatorOrder } from './types';

type Outcome = Pick<NonNullable<OperatorOrder['latestChange']>, 'state' | 'partnerUid' | 'message'>;

const t = texts.order.outcome;

const TONES: Readonly<Record<Outcome['state'], Tone>> = { done: 'success', waiting: 'warning', refused: 'danger' };

/** What a change has come to, with the words of who refused it. */
export function OutcomeOf({ outcome, waitsFor }: { readonly outcome: Outcome; readonly waitsFor?: string | null }) {
  const { state, partnerUid, message } = outcome;
  const text = {
    done: partnerUid === null ? (message ?? '') : t.by(partnerUid),
    waiting: waitsFor == null ? (message ?? '') : t.waitsFor(waitsFor),
    refused: [partnerUid, message].filter((part) => part !== null).join(': '),
  }[state];
  return (
    <>
      <Badge tone={TONES[state]}>{t.states[state]}</Badge>
      {text === '' ? null : <Text size="sm">{text}</Text>}
    </>
  );
}

/** What came of the latest repair or change of an operator or the client. */
export function LatestOutcome({ order: { latestChange, nextStep } }: { readonly order: OperatorOrder }) {
  if (latestChange === null) return null;
  const { type, by, at, ...outcome } = latestChange;
  return (
    <Group gap="sm" role="status" aria-label={t.title}>
      <Text size="sm" fw={500}>
        {t.change(texts.names.code(type), by)}
      </Text>
      <Text size="xs" c="dimmed">
        <Age at={at} />
      </Text>
      <OutcomeOf outcome={outcome} waitsFor={nextStep.partnerUid} />
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

/** The latest sentence of a partner, a host or the order run about what is wrong. Nothing while nothing is wrong. */
export function Problem({ order: { problem, failingSteps } }: { readonly order: OperatorOrder }) {
  if (failingSteps.length > 0) return <FailingSteps steps={failingSteps} />;
  if (problem === null) return null;
  const { type, partnerUid, message } = problem;
  return (
    <Stack gap={2} role="group" aria-label={t.problem}>
      <Text size="sm" fw={500}>
        {partnerUid === null ? texts.names.code(type) : (t.carrierSaid[type] ?? t.said)(partnerUid)}
      </Text>
      <Text size="sm">{message}</Text>
    </Stack>
  );
}
