import { isClean, runSteps, stepTable } from '../../rehearsal/step';

const silent = () => undefined;

test('steps without findings are clean', async () => {
  const reports = await runSteps([{ title: 'demo', run: async () => ({ counts: ['1 order'], findings: [] }) }], silent);
  expect(isClean(reports)).toBe(true);
  expect(stepTable(reports)).toMatch(/^\| demo \| ok {5}\| 1 order \| 0 s {6}\|$/m);
});

test('a finding fails the rehearsal and does not stop it', async () => {
  const reports = await runSteps(
    [
      { title: 'one', run: async () => ({ counts: [], findings: ['an order is stuck'] }) },
      { title: 'two', run: async () => ({ counts: [], findings: [] }) },
    ],
    silent,
  );
  expect(isClean(reports)).toBe(false);
  expect(reports.map(({ isSkipped }) => isSkipped)).toEqual([false, false]);
  expect(stepTable(reports)).toContain('| 1 finding |');
});

test('a step that throws has failed, and later steps are skipped', async () => {
  const reports = await runSteps(
    [
      {
        title: 'start',
        run: async () => {
          throw new Error('no port');
        },
      },
      { title: 'demo', run: async () => ({ counts: [], findings: [] }) },
    ],
    silent,
  );
  expect(isClean(reports)).toBe(false);
  expect(reports[0]!.findings[0]).toContain('no port');
  expect(reports[1]).toMatchObject({ isSkipped: true });
});
