import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { connectPostgres, type Sql } from '../src/platform/postgres';
import { audit, type Findings, isClean, type SubmittedOrder, unfinished } from './faults/audit';
import { CHANNEL_PREFIX, runChannel } from './faults/channel';
import { runClients, type Submission } from './faults/clients';
import { startDistributedStack } from './faults/distributed-stack';
import { balances, gather, storedOrders, submittedOrders, unreplayable, waitingPostbacks } from './faults/evidence';
import { injectFaults } from './faults/fault-injection';
import { OperatorRepairs, readOrders, runOperator } from './faults/operator';
import { OF_CHANNEL, planOrders, RANDOM } from './faults/orders';
import { RandomPartner } from './faults/random-partner';
import { runStockroom } from './faults/stockroom';
import { machine, writeResult } from './support/report';
import { seededRandom } from './support/seeded-random';

/** Time after the last fault in which every client must get its response. */
const CLIENTS_PATIENCE_MS = 5 * 60_000;
const LONGEST_RUN_MS = 3 * 3_600_000;
const LONGEST_DRAIN_MS = 30 * 60_000;

const say = (line: string) => process.stderr.write(`${line}\n`);

/**
 * Runs orders through a stack of separate processes while it kills, stalls and disconnects the processes and partners
 * misbehave. Then compares the records of clients, Postgres, Temporal, partners and carriers.
 */
async function main(): Promise<number> {
  const options = new Command()
    .option('--orders <count>', 'orders to submit', '1000')
    .option('--random <count>', 'orders whose callers do anything in any order, some at a time (default: --orders)')
    .option('--channel <count>', 'orders that come in files (default: a tenth of --orders)')
    .option(
      '--minutes <minutes>',
      'least time in which faults are injected; they go on until the callers of random orders are done',
      '10',
    )
    .option('--pause <seconds>', 'longest time between two faults; the shortest is half of it', '10')
    .option('--seed <number>', 'seed of orders and faults', String(Date.now() % 1_000_000))
    .option(
      '--patience <minutes>',
      'time without progress after which an order is stuck; retries may be minutes apart',
      '6',
    )
    .option('--keep', 'keep the data folder and logs after a clean run too')
    .parse()
    .opts<{
      orders: string;
      random?: string;
      channel?: string;
      minutes: string;
      pause: string;
      seed: string;
      patience: string;
      keep?: true;
    }>();
  const settings = {
    orders: Number(options.orders),
    random: Number(options.random ?? options.orders),
    channel: Number(options.channel ?? Math.ceil(Number(options.orders) / 10)),
    minutes: Number(options.minutes),
    pause: Number(options.pause),
    seed: Number(options.seed),
  };
  const random = seededRandom(settings.seed);
  say(`seed ${settings.seed}`);
  const stack = await startDistributedStack(say);
  process.once('SIGINT', () => process.exit(130));
  say(`data and logs in ${stack.folder}`);
  let clean = false;
  try {
    const opening = await withDatabase(stack.databaseUrl(), balances);
    const withinMs = settings.minutes * 60_000;
    const scripted = planOrders(settings.orders, withinMs, stack.sandboxUrl, random.fork());
    const byChance = planOrders(settings.random, 0, stack.sandboxUrl, random.fork(), RANDOM, 'random');
    const inFiles = planOrders(settings.channel, 0, stack.sandboxUrl, random.fork(), OF_CHANNEL, CHANNEL_PREFIX);
    const injection = new AbortController();
    const repairing = new AbortController();
    const waiting = new AbortController();
    const patience = AbortSignal.any([waiting.signal, AbortSignal.timeout(LONGEST_RUN_MS)]);
    // Every client adds a listener.
    setMaxListeners(0, patience);
    const stockroom = runStockroom(stack, random.fork(), injection.signal, patience);
    // When it fails before it is awaited, the run ends in order all the same.
    stockroom.catch(() => undefined);
    const made = new OperatorRepairs();
    const callers = new RandomPartner(stack, settings.seed, made, patience);
    const clients = runClients(stack, scripted, random.fork(), patience);
    const randomClients = runClients(stack, byChance, random.fork(), patience, callers);
    const channel = runChannel(stack, inFiles, withinMs, random.fork(), patience);
    const operator = runOperator(stack, random.fork(), repairing.signal, made);
    const reader = readOrders(stack, random.fork(), repairing.signal);
    const faults = injectFaults(stack, random.fork(), settings.pause, injection.signal);
    const began = Date.now();
    const watch = setInterval(() => {
      say(`${Math.round((Date.now() - began) / 1000)} s`);
    }, 60_000);
    const [ofChance] = await Promise.all([randomClients, sleep(withinMs)]);
    injection.abort();
    const injected = await faults;
    say('no more faults; waiting for clients and orders');
    setTimeout(() => waiting.abort(), CLIENTS_PATIENCE_MS).unref();
    const submissions = [...(await clients), ...(await channel), ...ofChance];
    const added = await stockroom;
    clearInterval(watch);
    const patienceMs = Number(options.patience) * 60_000;
    const drained = await withDatabase(stack.databaseUrl(), (sql) =>
      untilEnded(sql, () => submittedOrders(submissions, made), patienceMs),
    );
    repairing.abort();
    const repairs = await operator;
    const reads = await reader;
    say(`orders ended ${Math.round(drained / 1000)} s after the last client`);

    const evidence = await withDatabase(stack.databaseUrl(), (sql) =>
      gather(stack, sql, submissions, made, opening, added, callers),
    );
    const findings = audit({ ...evidence, unreplayable: await unreplayable(stack) });
    clean = isClean(findings);
    show(findings, injected, submissions, { repairs, reads });
    showSteps(findings, callers.steps);
    await writeResult('faults', {
      settings,
      machine: machine(),
      minutes: (Date.now() - began) / 60_000,
      injected,
      repairs,
      reads,
      requests: submissions.reduce((sum, { attempts }) => sum + attempts, 0),
      findings,
    });
    return clean ? 0 : 1;
  } finally {
    await stack.stop({ keepFolder: options.keep === true || !clean });
    if (!clean) say(`kept for inspection: ${stack.folder}`);
  }
}

async function withDatabase<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connectPostgres(url, { max: 4, applicationName: 'bench-faults' });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Waits until every order has ended or nothing changes any more. @returns milliseconds until the last change */
async function untilEnded(sql: Sql, submitted: () => SubmittedOrder[], patienceMs: number): Promise<number> {
  const began = Date.now();
  let last = '';
  let movedAt = began;
  while (Date.now() - began < LONGEST_DRAIN_MS) {
    const open = unfinished(submitted(), await storedOrders(sql));
    const postbacks = await waitingPostbacks(sql);
    const [left] = await sql<{ messages: number; version: string }[]>`
      SELECT (SELECT count(*)::int FROM outbox WHERE dead_at IS NULL) AS messages,
        (SELECT coalesce(sum(run_version), 0)::text FROM orders) AS version`;
    const state = JSON.stringify([left, postbacks]);
    if (state !== last) {
      last = state;
      movedAt = Date.now();
      say(`${open.length} orders open, ${left!.messages} messages and ${postbacks} postbacks waiting`);
    }
    const allEnded = open.length === 0 && left!.messages === 0 && postbacks === 0;
    // Late postbacks arrive for some seconds and must not change anything.
    if (allEnded && Date.now() - movedAt > 15_000) break;
    if (Date.now() - movedAt > patienceMs) break;
    await sleep(2_000);
  }
  return movedAt - began;
}

const TITLES: Readonly<Record<Exclude<keyof Findings, 'accepted'>, string>> = {
  lost: 'lost',
  runTwice: 'run twice',
  channelOrdersLostOrTwice: 'channel orders lost or made twice',
  printOrdersMadeTwice: 'print orders made twice',
  labelsBoughtTwice: 'labels bought twice',
  stockDifferences: 'stock differences',
  stuck: 'stuck',
  neitherEndedNorFlagged: 'neither ended nor flagged',
  contradictions: 'contradictions',
  endedByThemselves: 'ended by themselves',
  notReplayable: 'not replayable',
  internalErrors: 'internal errors',
  money: 'money',
};
const SHOWN = 20;

function show(
  findings: Findings,
  injected: Readonly<Record<string, number>>,
  submissions: readonly Submission[],
  { repairs, reads }: { readonly repairs: number; readonly reads: number },
): void {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  print(`\nfaults on ${machine()}`);
  print(`injected faults: ${list(injected)}`);
  print(
    `submissions: ${submissions.length} with ${submissions.reduce((sum, { attempts }) => sum + attempts, 0)} requests; repairs: ${repairs}; orders read by operators: ${reads}\n`,
  );
  print(`${'accepted'.padEnd(34)}${findings.accepted}`);
  for (const [key, title] of Object.entries(TITLES) as [keyof typeof TITLES, string][]) {
    print(`${title.padEnd(34)}${findings[key].length}`);
  }
  for (const [key, title] of Object.entries(TITLES) as [keyof typeof TITLES, string][]) {
    for (const finding of findings[key].slice(0, SHOWN)) print(`  ${title}: ${finding}`);
    if (findings[key].length > SHOWN) print(`  ${title}: and ${findings[key].length - SHOWN} more`);
  }
}

/** Prints what was sent about the random orders that findings name. */
function showSteps({ accepted: _, ...findings }: Findings, sent: ReadonlyMap<string, readonly string[]>): void {
  const named = new Set(
    Object.values(findings).flatMap((list) => list.flatMap((text) => text.match(/random-\d+/g) ?? [])),
  );
  for (const reference of [...named].slice(0, SHOWN))
    for (const step of sent.get(reference) ?? []) process.stdout.write(`  ${reference} ${step}\n`);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
    process.exit(1);
  },
);
