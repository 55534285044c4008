import { assertInstalled } from '../../src/platform/optional-package';

/** One line of the display: shown while it is waited for, and again with what came of it. */
export interface ShownStep {
  readonly title: string;
  /** @param report shows what it is at. @returns the line to leave behind */
  run(report: (line: string) => void): Promise<string>;
}

/**
 * Carries steps out one after another, and shows them: a live list on a terminal, a line each elsewhere.
 * @throws what a step throws; those after it are not begun
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
    // Ctrl-C is answered by the command, which has servers to stop; errors too, once.
    { registerSignalListeners: false, rendererOptions: { showErrorMessage: false } },
  );
  await list.run();
}
