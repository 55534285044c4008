/** The result of a step of the rehearsal. */
export interface StepResult {
  /** What was counted, such as `50 orders delivered`. */
  readonly counts: readonly string[];
  /** What went wrong, one text each. */
  readonly findings: readonly string[];
}

/** A step of the rehearsal. */
export interface Step {
  readonly title: string;
  run(): Promise<StepResult>;
}

/** A step that was run, with its duration. */
export interface StepReport extends StepResult {
  readonly title: string;
  readonly seconds: number;
  readonly isSkipped: boolean;
}

/**
 * Runs steps one after another. A step that throws has failed, and the later ones are skipped.
 * @param report called with a line when a step starts, and for each finding
 */
export async function runSteps(steps: readonly Step[], report: (line: string) => void): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  let isBroken = false;
  for (const { title, run } of steps) {
    if (isBroken) {
      reports.push({ title, seconds: 0, counts: [], findings: ['skipped'], isSkipped: true });
      continue;
    }
    report(`== ${title}`);
    const began = Date.now();
    let result: StepResult;
    try {
      result = await run();
    } catch (error) {
      isBroken = true;
      result = { counts: [], findings: [(error as Error).stack ?? String(error)] };
    }
    for (const line of result.counts) report(`   ${line}`);
    for (const finding of result.findings) report(`   FINDING ${finding}`);
    reports.push({ title, seconds: (Date.now() - began) / 1_000, isSkipped: false, ...result });
  }
  return reports;
}

/** Returns true when every step ran without a finding. */
export const isClean = (reports: readonly StepReport[]) => reports.every(({ findings }) => findings.length === 0);

/** Returns the steps as a Markdown table. */
export function stepTable(reports: readonly StepReport[]): string {
  const result = ({ isSkipped, findings }: StepReport) =>
    isSkipped
      ? 'skipped'
      : findings.length === 0
        ? 'ok'
        : `${findings.length} finding${findings.length === 1 ? '' : 's'}`;
  const cells = [
    ['step', 'result', 'counts', 'duration'],
    ...reports.map((step) => [step.title, result(step), step.counts.join('; '), `${Math.round(step.seconds)} s`]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]!.length)));
  const lines = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [lines[0]!, rule, ...lines.slice(1)].map((line) => `| ${line.join(' | ')} |\n`).join('');
}
