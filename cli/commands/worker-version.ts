import { connectTemporal } from '../../src/platform/temporal/connection';
import { workerVersions } from '../../src/platform/temporal/worker-versions';
import { assertSet, type CommandContext } from '../command';
import { say } from '../terminal';

export interface WorkerVersionOptions {
  /** Percentage of the workflows that the version gets. Without it, the version becomes current. */
  readonly ramp?: number;
  /** Another version, whose running workflows stay on it. */
  readonly pin?: string;
}

/** Makes a worker version current, or ramps it. Returns the exit code. */
export async function setWorkerVersion(
  { config }: CommandContext,
  buildId: string,
  { ramp, pin }: WorkerVersionOptions,
): Promise<number> {
  assertSet(config, 'TEMPORAL_ADDRESS');
  const client = connectTemporal(config);
  try {
    const versions = workerVersions(client, config);
    if (ramp === undefined) await versions.makeCurrent(buildId);
    else await versions.ramp(buildId, ramp);
    say(ramp === undefined ? `${buildId} is current.` : `${buildId} gets ${ramp} % of the workflows.`);
    if (pin !== undefined) {
      say(`${await versions.pin(pin)} running workflows stay on ${pin}.`);
    }
    return 0;
  } finally {
    await client.connection.close();
  }
}
