import { z } from 'zod';
import { timestamp } from '../../src/platform/domain/fields';

/**
 * The faults that a conformance check reports, by their fixed names (docs/partners.md lists them, and a test compares both).
 * A name is never changed or reused.
 */
export const FAULTS = {
  'print-order-refused': 'A valid print order is refused.',
  'server-error': 'A message gets 408, 425, 429 or 5xx.',
  'redirect-response': 'A message gets a redirect, which Pressline does not follow.',
  'connection-broken': 'The connection ends without a response.',
  'no-response': 'A message has no response within 20 seconds.',
  'slow-response': 'A response takes longer than 5 seconds.',
  'slow-delivery-refused': 'A print order whose body arrives slowly is not accepted.',
  'duplicate-refused': 'A print order that arrives again is refused.',
  'duplicate-made-twice': 'A print order that arrives again is made a second time.',
  'changed-content-accepted': 'Other content under a known id, without a higher revision, is accepted.',
  'bad-signature-accepted': 'A message with a forged signature is accepted.',
  'unsigned-accepted': 'A message without a signature is accepted.',
  'old-signature-accepted': 'A message that was signed ten minutes ago is accepted.',
  'future-signature-accepted': 'A message that was signed for a time in ten minutes is accepted.',
  'rotated-signature-refused': 'A message with two signatures, the second of which is valid, is refused.',
  'cancel-refused': 'A cancel request that follows the print order at once is refused.',
  'duplicate-cancel-refused': 'A cancel request that arrives again is refused.',
  'unknown-cancel-failed': 'A cancel request for an unknown print order gets 5xx, or no response.',
  'update-refused': 'An order update that follows the print order at once is refused: another address, or fewer units.',
  'duplicate-update-refused': 'An order update that arrives again is refused.',
  'inventory-refused': 'A stock poll is refused.',
  'inventory-invalid': 'The response to a stock poll does not have the levels of the SKUs.',
  'received-missing': 'No received or error postback arrives in time.',
  'shipped-missing': 'No shipped postback arrives in time.',
  'postback-invalid': 'A postback violates the schema, or names an unknown print order or item.',
  'postbacks-out-of-order': 'A postback reports an earlier step after a later one.',
  'error-reported': 'An error postback reports a problem with a valid print order.',
  'old-label-shipped':
    'A print order is shipped after an accepted order update without a dispatch request for the new label.',
  'dispatch-invalid': 'A dispatch request violates the schema, or replaces an unknown label.',
  'dispatch-not-repeated':
    'A print order is shipped after a dispatch request that got 202, and was not sent again until it got documents.',
  'void-label-used': 'A postback has the tracking code of a label that a dispatch response names as void.',
  'cancelled-unasked': 'A cancelled postback arrives without a cancel request.',
} as const;

export type FaultName = keyof typeof FAULTS;

const scenarioReport = z.object({
  name: z.string(),
  result: z.enum(['passed', 'failed', 'skipped']),
  reason: z.string().nullable().describe('Why the scenario was skipped.'),
  findings: z.array(z.object({ fault: z.enum(Object.keys(FAULTS) as [FaultName]), message: z.string() })),
});

export const conformanceReportSchema = z.object({
  passed: z.boolean(),
  startedAt: timestamp,
  finishedAt: timestamp,
  messages: z.int().describe('Number of messages that were sent.'),
  scenarios: z.array(scenarioReport),
});

export type ConformanceReport = z.output<typeof conformanceReportSchema>;
export type ScenarioReport = z.output<typeof scenarioReport>;
/** A fault that a scenario found. */
export type Finding = ScenarioReport['findings'][number];

const MARKS = { passed: 'ok  ', failed: 'FAIL', skipped: '-   ' } as const;

/** Returns the report as text for a terminal. */
export function reportText({ passed, scenarios, messages }: ConformanceReport): string {
  const lines = scenarios.flatMap(({ name, result, reason, findings }) => [
    `${MARKS[result]} ${name}${reason === null ? '' : `: skipped, ${reason}`}`,
    ...findings.map(({ fault, message }) => `     ${fault}: ${FAULTS[fault]}\n       ${message}`),
  ]);
  const names = new Set(scenarios.flatMap(({ findings }) => findings.map(({ fault }) => fault)));
  const end = passed ? 'The partner passes.' : `The partner has ${names.size} faults: ${[...names].join(', ')}`;
  return `${[...lines, '', `${messages} messages sent. ${end}`].join('\n')}\n`;
}
