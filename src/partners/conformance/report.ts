import type { ConformanceReport } from './check-partner';
import { FAULTS } from './faults';

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
