import { z } from 'zod';
import { timestamp } from '../../platform/domain/fields';
import { FAULTS, type FaultName } from './faults';

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
