import { simulateQueues } from '../../simulation/queue-simulation';

/** Mean wait of an M/M/c queue in seconds, by Erlang's C formula. */
function erlangWait(rate: number, mean: number, cores: number): number {
  const load = rate * mean;
  let [term, sum] = [1, 0];
  for (let n = 0; n < cores; n += 1) {
    sum += term;
    term *= load / (n + 1);
  }
  const queued = term / (1 - load / cores);
  return ((queued / (sum + queued)) * mean) / (cores - load);
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test.each([
  [0.8, 1],
  [2.4, 3],
  [6.3, 7],
])('%d orders a second at a station of one second and %i cores wait as long as an M/M/c queue says', (rate, cores) => {
  const stations = [{ name: 'worker', meanSeconds: 1, cores }];
  const { waits } = simulateQueues({ rate, seconds: 600_000 / rate, stations });
  expect(meanOf(waits) / erlangWait(rate, 1, cores)).toBeCloseTo(1, 1);
});

test('stations in a row wait as long as each alone: departures of an M/M/c queue are a Poisson process', () => {
  const stations = [
    { name: 'api', meanSeconds: 0.5, cores: 1 },
    { name: 'worker', meanSeconds: 2, cores: 3 },
  ];
  const { waits } = simulateQueues({ rate: 1.2, seconds: 400_000, stations });
  expect(meanOf(waits) / (erlangWait(1.2, 0.5, 1) + erlangWait(1.2, 2, 3))).toBeCloseTo(1, 1);
});

test('orders of which each is followed by another keep all cores busy', () => {
  const stations = [{ name: 'machine', meanSeconds: 0.2, cores: 2 }];
  const { waits, longestQueue } = simulateQueues({ rate: { atOnce: 30 }, seconds: 10_000, stations });
  expect(waits.length / 10_000 / (2 / 0.2)).toBeCloseTo(1, 1);
  // Of 30 orders, two are served, and the others wait for 2.8 s on average.
  expect(longestQueue).toBe(28);
  expect(meanOf(waits) / 2.8).toBeCloseTo(1, 1);
});

test('an outage leaves a queue that shrinks by what the cores do more than arrives', () => {
  const stations = [{ name: 'worker', meanSeconds: 0.2, cores: 4 }];
  const changes = [
    { at: 100, station: 'worker', cores: 0 },
    { at: 1_100, station: 'worker', cores: 4 },
  ];
  const { longestQueue, caughtUpAfter, waits } = simulateQueues({ rate: 10, seconds: 5_000, stations, changes });
  expect(longestQueue / (10 * 1_000)).toBeCloseTo(1, 1);
  expect(Math.max(...waits) / 1_000).toBeCloseTo(1, 1);
  // 10,000 orders wait, and the cores do 20 a second while 10 arrive.
  expect(caughtUpAfter! / 1_000).toBeCloseTo(1, 1);
});

test('orders that can never be through are an error', () => {
  const stations = [{ name: 'worker', meanSeconds: 1, cores: 1 }];
  const changes = [{ at: 5, station: 'worker', cores: 0 }];
  expect(() => simulateQueues({ rate: 1, seconds: 10, stations, changes })).toThrow(RangeError);
});
