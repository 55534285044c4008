import { assertInstalled } from '../../packages/embedded-servers/optional-package';

/** A step that the terminal shows: its title while it runs, then its result. */
export interface ShownStep {
  readonly title: string;
  /**
   * Runs the step.
   * @param report shows a line of progress
   * @returns the result, as one line
   */
  run(report: (line: string) => void): Promise<string>;
}

/**
 * Runs steps one after another and shows them: as a live list on a terminal, otherwise as one line per step.
 * @throws the error of a step; later steps are not started
 */
export async function showSteps(
  steps: readonly ShownStep[],
  { live, say }: { readonly live: boolean; readonly say: (line: string) => void },
): Promise<void> {
  if (!live) {
    for (const step of steps) say(await step.run(say));
    return;
  }
  assertInstalled('listr2', '"npm run demo" shows its steps on a terminal with it.');
  const { Listr } = await import('listr2');
  const list = new Listr(
    steps.map(({ title, run }) => ({
      title,
      task: async (_context, task) => {
        task.title = await run((line) => {
          task.output = line;
        });
      },
    })),
    // The command itself handles Ctrl-C, because it has servers to stop, and prints the error.
    { registerSignalListeners: false, rendererOptions: { showErrorMessage: false } },
  );
  await list.run();
}
