import { registerHooks } from 'node:module';
import { OptionalPackageMissing } from '../../packages/embedded-servers/optional-package';
import { showSteps } from '../demo/display';

const steps = [{ title: 'One', run: async () => 'done' }];

test('without listr2 the display on a terminal ends before the first step, with an error that names it', async () => {
  const say = jest.fn();
  const ran = jest.fn(async () => 'done');
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'listr2') throw new Error('Cannot find package');
      return next(specifier, context);
    },
  });
  const shown = showSteps([{ title: 'One', run: ran }], { live: true, say });
  await expect(shown).rejects.toThrow(OptionalPackageMissing);
  await expect(shown).rejects.toThrow('The package listr2 is not installed.');
  hooks.deregister();
  expect(ran).not.toHaveBeenCalled();
});

test('without a terminal each step leaves a line', async () => {
  const said: string[] = [];
  await showSteps(steps, { live: false, say: (line) => said.push(line) });
  expect(said).toEqual(['done']);
});
