import { type HistoryFolder, keepHistory } from '../support/histories';
import { playScriptedRun, type ScriptedRun } from '../support/scripted-runs';
import { SCENARIOS as bulkRepairs } from './bulk-repair/scenarios';
import { SCENARIOS as channels } from './channels/scenarios';
import { SCENARIOS as periodicJobs } from './periodic-jobs/scenarios';
import { SCENARIOS as shipping } from './shipping-order/scenarios';

/** Records the histories of scripted scenarios: `npx jest --testMatch '**\/record-histories.ts'` */

const SCENARIOS = {
  'bulk-repair': bulkRepairs,
  channels,
  'periodic-jobs': periodicJobs,
  shipping,
} satisfies Partial<Record<HistoryFolder, Readonly<Record<string, ScriptedRun>>>>;

for (const [folder, scenarios] of Object.entries(SCENARIOS)) {
  test.each(Object.entries<ScriptedRun>(scenarios))('%s is recorded', async (name, scenario) => {
    const { history } = await playScriptedRun(`recorded-${name}`, scenario);
    expect(history.events).not.toEqual([]);
    await keepHistory(folder as HistoryFolder, name, history);
  });
}
