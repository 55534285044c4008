import { seededRandom } from '../support/seeded-random';

/** A pool of equal cores that every order uses once. Orders wait in the order of their arrival. */
export interface Station {
  readonly name: string;
  /** CPU time of an order in seconds, the mean of an exponential distribution. */
  readonly meanSeconds: number;
  readonly cores: number;
}

/** From a time on, a station has another number of cores. Work that has begun is finished. */
export interface CoreChange {
  readonly at: number;
  readonly station: string;
  readonly cores: number;
}

export interface SimulatedLoad {
  /** Orders per second, as a Poisson process; or orders at once, of which each is followed by another one. */
  readonly rate: number | { readonly atOnce: number };
  /** Seconds for which orders arrive. The simulation ends when all of them are through. */
  readonly seconds: number;
  readonly stations: readonly Station[];
  readonly changes?: readonly CoreChange[];
  readonly seed?: number;
}

export interface SimulatedWaits {
  /** Seconds that each order waited at all stations, in the order of arrival. */
  readonly waits: readonly number[];
  /** Most orders that waited at one station. */
  readonly longestQueue: number;
  /** Seconds from the last change of cores to the first moment when no order waits. Null: there is none while orders arrive. */
  readonly caughtUpAfter: number | null;
}

interface Job {
  readonly order: number;
  queuedAt: number;
}

interface Queue {
  readonly station: Station;
  cores: number;
  busy: number;
  /** Jobs before `head` have been taken. */
  readonly jobs: Job[];
  head: number;
}

interface Event {
  readonly at: number;
  readonly run: () => void;
}

/**
 * Simulates orders that pass stations one after the other, each a queue with several servers. Poisson arrivals and exponential
 * service at a single station make it an M/M/c queue.
 * @throws RangeError when a station has no cores at the end: its orders would never be through
 */
export function simulateQueues(load: SimulatedLoad): SimulatedWaits {
  const random = seededRandom(load.seed ?? 1);
  const exponential = (mean: number) => -mean * Math.log(1 - random.between(0, 1));
  const events = new EventHeap();
  const queues: Queue[] = load.stations.map((station) => ({
    station,
    cores: station.cores,
    busy: 0,
    jobs: [],
    head: 0,
  }));
  const waits: number[] = [];
  const lastChange = Math.max(0, ...(load.changes ?? []).map(({ at }) => at));
  let caughtUpAfter: number | null = null;
  let [now, waiting, longestQueue] = [0, 0, 0];

  const schedule = (seconds: number, run: () => void) => events.push({ at: now + seconds, run });
  const start = (index: number) => {
    const queue = queues[index]!;
    while (queue.busy < queue.cores && queue.head < queue.jobs.length) {
      const job = queue.jobs[queue.head]!;
      queue.head += 1;
      queue.busy += 1;
      waiting -= 1;
      waits[job.order]! += now - job.queuedAt;
      schedule(exponential(queue.station.meanSeconds), () => {
        queue.busy -= 1;
        if (index + 1 < queues.length) enter(index + 1, job);
        else if (typeof load.rate !== 'number' && now < load.seconds) submit();
        start(index);
      });
    }
    if (queue.head > 1_000 && queue.head * 2 > queue.jobs.length) {
      queue.jobs.splice(0, queue.head);
      queue.head = 0;
    }
    longestQueue = Math.max(longestQueue, queue.jobs.length - queue.head);
  };
  const enter = (index: number, job: Job) => {
    job.queuedAt = now;
    queues[index]!.jobs.push(job);
    waiting += 1;
    start(index);
  };
  const submit = () => {
    waits.push(0);
    enter(0, { order: waits.length - 1, queuedAt: now });
  };
  const arrive = (rate: number) => {
    if (now >= load.seconds) return;
    submit();
    schedule(exponential(1 / rate), () => arrive(rate));
  };

  for (const { at, station, cores } of load.changes ?? []) {
    const index = queues.findIndex((queue) => queue.station.name === station);
    events.push({
      at,
      run: () => {
        queues[index]!.cores = cores;
        start(index);
      },
    });
  }
  const { rate } = load;
  if (typeof rate === 'number') schedule(exponential(1 / rate), () => arrive(rate));
  else for (let order = 0; order < rate.atOnce; order += 1) submit();
  for (let event = events.pop(); event !== undefined; event = events.pop()) {
    now = event.at;
    event.run();
    if (waiting === 0 && now >= lastChange && now < load.seconds) caughtUpAfter ??= now - lastChange;
  }
  if (waiting > 0) throw new RangeError('a station has no cores at the end');
  return { waits, longestQueue, caughtUpAfter };
}

/** A binary heap of events, earliest first. */
class EventHeap {
  readonly #events: Event[] = [];

  push(event: Event): void {
    const events = this.#events;
    let place = events.length;
    events.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (events[parent]!.at <= event.at) break;
      events[place] = events[parent]!;
      place = parent;
    }
    events[place] = event;
  }

  pop(): Event | undefined {
    const events = this.#events;
    const [first] = events;
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && events[child + 1]!.at < events[child]!.at) child += 1;
      if (events[child]!.at >= last.at) break;
      events[place] = events[child]!;
      place = child;
    }
    events[place] = last;
    return first;
  }
}
