import type { Response } from 'express';
import { createRateLimiter } from '../api/http/request-limits';
import { connectPostgres } from '../src/platform/postgres';
import { alternate, ratioOf, runBenchmark } from './support/benchmark';
import { withBenchDatabase } from './support/processes/servers';
import { spreadOf } from './support/report';

/** Measures what counting a request for RATE_LIMIT costs: in the memory of the process, and in Postgres. */
runBenchmark({
  name: 'rate-limit',
  options: {
    requests: [5_000, 'requests per round'],
    atOnce: [16, 'requests at once'],
    keys: [20, 'API keys'],
    rounds: [5, 'rounds'],
  },
  measure: async ({ requests, atOnce, keys, rounds }) =>
    await withBenchDatabase({}, async ({ url }) => {
      const sql = connectPostgres(url, { max: 10, applicationName: 'bench-rate-limit' });
      const response = { setHeader: () => undefined } as unknown as Response;
      /** Returns the milliseconds per request. */
      const count = (store: 'memory' | 'postgres') => {
        const limiter = createRateLimiter({ RATE_LIMIT: 1_000_000, RATE_LIMIT_STORE: store }, sql)!;
        return async () => {
          let next = 0;
          const sender = async () => {
            for (let at = next++; at < requests; at = next++) await limiter(response, `key-${at % keys}`);
          };
          const began = performance.now();
          await Promise.all(Array.from({ length: atOnce }, sender));
          return (performance.now() - began) / requests;
        };
      };
      const contestants = { memory: count('memory'), postgres: count('postgres') };
      await contestants.postgres();
      const measured = await alternate(rounds, 'ms per request', contestants);
      await sql.end({ timeout: 5 });
      return [
        { what: 'counted in memory', unit: 'ms per request', value: spreadOf(measured.memory) },
        { what: 'counted in Postgres', unit: 'ms per request', value: spreadOf(measured.postgres) },
        {
          what: 'Postgres against memory',
          unit: 'times',
          value: ratioOf(measured.postgres, measured.memory),
        },
      ];
    }),
});
