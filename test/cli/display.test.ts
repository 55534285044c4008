import { showSteps } from '../../cli/demo/display';
import { OptionalPackageMissing } from '../../src/platform/optional-package';

jest.mock('../../src/platform/optional-package', () => {
  const original = jest.requireActual('../../src/platform/optional-package');
  return {
    ...original,
    assertInstalled: (name: string) => {
      throw new original.OptionalPackageMissing(`The package ${name} is not installed.`);
    },
  };
});

const steps = [{ title: 'One', run: async () => 'done' }];

test('without listr2 the display on a terminal ends before the first step, with an error that names it', async () => {
  const say = jest.fn();
  const ran = jest.fn(async () => 'done');
  const shown = showSteps([{ title: 'One', run: ran }], { live: true, say });
  await expect(shown).rejects.toEqual(new OptionalPackageMissing('The package listr2 is not installed.'));
  expect(ran).not.toHaveBeenCalled();
});

test('without a terminal each step leaves a line', async () => {
  const said: string[] = [];
  await showSteps(steps, { live: false, say: (line) => said.push(line) });
  expect(said).toEqual(['done']);
});
