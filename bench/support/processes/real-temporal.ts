import { join } from 'node:path';
import { temporalPrograms } from '../../rehearsal/programs';
import type { Service } from '../../rehearsal/service';
import { startTemporalOnPostgres, type TemporalOnPostgres } from '../../rehearsal/temporal-server';

/** The Temporal server of a deployment, on a Postgres server of its own. */
export interface RealTemporal extends TemporalOnPostgres {
  /** Stops both servers and starts them on the same data and ports, so that nothing is cached. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Temporal server with a Postgres server of its own, as docker-compose.yml has them, on an empty folder. */
export async function startRealTemporal(folder: string): Promise<RealTemporal> {
  const programs = await temporalPrograms(join(folder, 'bin'), (line) => {
    process.stderr.write(`${line}\n`);
  });
  const services: Service[] = [];
  const stop = async () => {
    for (const service of services.toReversed()) await service.stop();
  };
  const added = (service: Service) => void services.push(service);
  const temporal = await startTemporalOnPostgres(folder, programs, added).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    ...temporal,
    stop,
    async restart() {
      await stop();
      for (const service of services) await service.start();
    },
  };
}
