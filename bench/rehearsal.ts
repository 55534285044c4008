import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { createPresslineClient } from '../client/pressline-client';
import { DemoOrder } from '../sandbox/demo/demo-order';
import { audit, isClean as isConsistent } from './faults/audit';
import { balances, gather } from './faults/evidence';
import { OperatorRepairs } from './faults/operator';
import { failOver } from './rehearsal/failover';
import { Client, untilOrdersAre } from './rehearsal/orders';
import { restorePostgres, restoreTemporal } from './rehearsal/restore';
import { rollingRestart, watchRequests } from './rehearsal/rolling-restart';
import { isClean, runSteps, type StepReport, type StepResult, stepTable } from './rehearsal/step';
import { FIRST_BUILD, startTopology, type Topology } from './rehearsal/topology';
import { deployWorkers, rollBackWorkers, workerVersion } from './rehearsal/worker-deployment';
import { machine, writeResult } from './support/report';

/** Last name of the demo's customer, by which partners know its order. */
const DEMO_CUSTOMER = 'Lovelace';
const AT_ONCE = 10;
const MOST_RESTORED_ORDERS = 50;

const say = (line: string) => process.stderr.write(`${line}\n`);

/**
 * Rehearses the deployment of docker-compose.yml on this machine: starts its processes with a real Temporal server on Postgres, and
 * restarts, updates and restores them while orders run. Exits with 0 when no step has a finding.
 */
async function main(): Promise<number> {
  const { orders, only, keep } = new Command('rehearse')
    .option('--orders <count>', 'orders of the first load', (text) => Number.parseInt(text, 10), 1_000)
    .option('--only <step...>', 'only these steps, beside the start and the check of processes')
    .option('--keep', 'keep the folder of data and logs')
    .parse()
    .opts<{ orders: number; only?: string[]; keep?: true }>();
  // Every process that is started adds a listener for the end of this one.
  setMaxListeners(0, process);
  const began = Date.now();
  let topology: Topology | undefined;
  let client: Client | undefined;
  process.once('SIGINT', () => {
    say('stopping');
    void Promise.resolve(topology?.stop()).then(() => process.exit(130));
  });
  const run = (work: (topology: Topology, client: Client) => Promise<StepResult>) => () => work(topology!, client!);
  const opening: Awaited<ReturnType<typeof balances>> = [];
  const added = new Map<string, number>();
  const restored = Math.max(5, Math.min(MOST_RESTORED_ORDERS, Math.round(orders / 10)));
  try {
    const reports = await runSteps(
      [
        {
          title: 'start',
          async run() {
            topology = await startTopology(say, { keepFolder: keep === true });
            client = new Client(topology);
            opening.push(...(await balances(topology.sql)));
            await addStock(topology, orders, added);
            return await started(topology);
          },
        },
        { title: 'demo', run: run(demo) },
        { title: `${orders} orders`, run: run((to, by) => load(to, by, orders)) },
        { title: 'rolling restart', run: run((to, by) => rollingRestart(to, by, say)) },
        { title: 'worker deployment', run: run(deployWorkers) },
        { title: 'worker rollback', run: run(rollBackWorkers) },
        { title: 'audit', run: run((to, by) => auditRecords(to, by, opening, added)) },
        { title: 'restore Postgres', run: run((to, by) => restorePostgres(to, by, restored)) },
        { title: 'restore Temporal', run: run((to, by) => restoreTemporal(to, by, restored)) },
        { title: 'failover of Postgres', run: run((to, by) => failOver(to, by, 'Postgres')) },
        { title: 'failover of Temporal', run: run((to, by) => failOver(to, by, 'Temporal')) },
        { title: 'processes', run: run(unexpectedExits) },
      ].filter(({ title }) => only === undefined || ['start', 'processes', ...only].includes(title)),
      say,
    );
    await show(reports, { orders }, (Date.now() - began) / 60_000);
    return isClean(reports) ? 0 : 1;
  } finally {
    await topology?.stop();
  }
}

/** Stock for the load, which would otherwise wait for deliveries. */
async function addStock({ credentials, baseUrl }: Topology, orders: number, added: Map<string, number>) {
  for (const [partner, partnerSku] of [
    ['prints-berlin', 'frame-wood-oak-30x40'],
    ['prints-ohio', 'tee-navy-m'],
  ] as const) {
    const { apiKey } = credentials.partners.find(({ name }) => name === partner)!;
    const quantity = orders + 1_000;
    const adjustments = [{ partnerSku, adjustmentType: 'add' as const, quantity }];
    await createPresslineClient({ baseUrl, apiKey }).adjustStock({ body: { adjustments } });
    added.set(`${partner} ${partnerSku}`, quantity);
  }
}

/** Makes the first worker version current, and checks that the application's role owns nothing. */
async function started(topology: Topology): Promise<StepResult> {
  await workerVersion(topology, FIRST_BUILD);
  const [owned] = await topology.sql<{ count: number }[]>`
    SELECT count(*)::int FROM pg_class JOIN pg_roles r ON r.oid = relowner WHERE rolname = current_user`;
  const { serverVersion } = await topology.temporalClient.workflowService.getSystemInfo({});
  return {
    counts: [`${Object.keys(topology.processes).length} processes`, `Temporal ${serverVersion} on Postgres`],
    findings: owned!.count === 0 ? [] : [`the application's role owns ${owned!.count} objects`],
  };
}

async function demo(topology: Topology): Promise<StepResult> {
  const { credentials, baseUrl, temporalClient, sandboxUrl, folder } = topology;
  const order = new DemoOrder(
    {
      credentials: { ...credentials, baseUrl, temporalUiUrl: 'http://127.0.0.1:8080' },
      namespace: 'default',
      temporal: temporalClient,
      sandboxUrl,
      seen: topology.seen,
      documentsFolder: join(folder, 'documents'),
    },
    new AbortController().signal,
  );
  const steps = order.steps();
  for (const step of steps) say(`   ${await step.run(say)}`);
  return { counts: [`${steps.length} milestones`, `${order.saved.length} documents`], findings: [] };
}

async function load(topology: Topology, client: Client, orders: number): Promise<StepResult> {
  const requests = watchRequests(topology, client);
  const began = Date.now();
  await client.submitAll(client.plan(orders), AT_ONCE);
  const submittedSeconds = (Date.now() - began) / 1_000;
  const stuck = await untilOrdersAre(topology, ['delivered']);
  const seconds = (Date.now() - began) / 1_000;
  return {
    counts: [
      `accepted in ${submittedSeconds.toFixed(0)} s`,
      `${orders - stuck.length} delivered, ${(orders / seconds).toFixed(1)} a second`,
      ...requests.counts(),
    ],
    findings: [...requests.failedCalls(), ...stuck],
  };
}

/** Compares the records of client, Postgres, Temporal, partners and carriers. */
async function auditRecords(
  topology: Topology,
  client: Client,
  opening: Awaited<ReturnType<typeof balances>>,
  added: ReadonlyMap<string, number>,
): Promise<StepResult> {
  // Temporal's list of workflows follows within a second.
  await sleep(2_000);
  const evidence = await gather(topology, topology.sql, client.submissions, new OperatorRepairs(), opening, added);
  const findings = audit({
    ...evidence,
    // Deploys of the rehearsal change the workflow code.
    unreplayable: [],
    printOrders: evidence.printOrders.filter(({ reference }) => reference !== DEMO_CUSTOMER),
  });
  const { accepted, ...lists } = findings;
  return {
    counts: [
      `${accepted} orders accepted`,
      `${evidence.printOrders.length} print orders, ${evidence.parcels.length} parcels`,
      isConsistent(findings) ? 'all records agree' : 'records differ',
    ],
    findings: Object.entries(lists).flatMap(([kind, texts]) => texts.map((text) => `${kind}: ${text}`)),
  };
}

/** Lists the processes that ended without being stopped. */
async function unexpectedExits({ processes }: Topology): Promise<StepResult> {
  const findings = Object.values(processes).flatMap(({ name, unexpectedExits: reasons }) =>
    reasons.map((reason) => `${name} ended: ${reason}`),
  );
  return { counts: [`${findings.length} ended by themselves`], findings };
}

async function show(reports: readonly StepReport[], settings: object, minutes: number): Promise<void> {
  const findings = reports.flatMap(({ title, findings: texts, isSkipped }) =>
    isSkipped ? [] : texts.map((text) => `${title}: ${text}`),
  );
  const text = `${new Date().toISOString().slice(0, 10)}, ${machine()}, ${minutes.toFixed(1)} minutes\n\n${stepTable(reports)}`;
  process.stdout.write(`\nrehearsal: ${text}`);
  for (const finding of findings) process.stdout.write(`${finding}\n`);
  await writeResult('rehearsal', { machine: machine(), settings, minutes, steps: reports });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
    process.exit(1);
  },
);
