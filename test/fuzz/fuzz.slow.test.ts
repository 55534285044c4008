import { allRoutes } from '../../api/routes';
import { type Campaign, responsesTable, runCampaign } from './campaign';
import { STRAY } from './requests';
import { fuzzSubject, type Subject } from './subject';
import { validBodies } from './valid-bodies';

/** True for `npm run check -- fuzz`, which sets the variables and prints the progress. Otherwise the short form runs. */
const VERBOSE = process.env.FUZZ_REQUESTS !== undefined;
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_400);
const SEED = Number(process.env.FUZZ_SEED ?? 1);

/** A quarter of them goes to the operation. */
const REQUESTS_TO_REST = 100;

/** Returns the operations of which every response came from a check before their handler. */
const unreached = ({ responses }: Campaign) =>
  [...responses]
    .filter(([operation]) => operation !== STRAY)
    .filter(([, byStatus]) => [...byStatus.keys()].every((status) => [401, 403, 405, 415].includes(status)))
    .map(([operation]) => operation);

const print = (text: string) => VERBOSE && process.stderr.write(`${text}\n`);
const unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
let subject: Subject;
let campaign: Campaign;
let foreignBefore: string;

jest.setTimeout(Math.max(600_000, REQUESTS * 60));

beforeAll(async () => {
  subject = await fuzzSubject();
  foreignBefore = await subject.foreignState();
  process.on('unhandledRejection', note);
  let printed = 0;
  campaign = await runCampaign(subject, {
    requests: REQUESTS,
    seed: SEED,
    onProgress: ({ requests: sent, findings }) => {
      for (const finding of findings.slice(printed)) print(JSON.stringify(finding, null, 2));
      printed = findings.length;
      print(`${sent} of ${REQUESTS} requests, ${findings.length} findings`);
    },
  });
  // The short form sends an operation eight requests on average, so chance leaves some out. They get more requests.
  const rest = unreached(campaign);
  if (rest.length > 0) {
    const only = new Set(rest);
    const more = await runCampaign(subject, { requests: rest.length * REQUESTS_TO_REST, seed: SEED, only });
    campaign = {
      requests: campaign.requests + more.requests,
      findings: [...campaign.findings, ...more.findings],
      responses: new Map([...campaign.responses, ...[...more.responses].filter(([name]) => only.has(name))]),
    };
  }
  print(responsesTable(campaign));
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await subject.stop();
});

test('no response has a fault: 5xx, internals, slowness, wrong body, rows after a refusal, data of others', () => {
  expect(campaign.findings).toEqual([]);
});

/** Returns copies of a value with another one in the place of each of its parts. */
function* replacedParts(value: unknown, other: unknown): Generator<unknown> {
  yield other;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    for (const replaced of replacedParts(part, other))
      yield Array.isArray(value) ? value.with(Number(key), replaced) : { ...value, [key]: replaced };
}

test('no schema of a body throws where an object without a text is in the place of a value', () => {
  const bodies = validBodies(subject);
  const schemas = new Map(allRoutes(subject.deps).map(({ operationId, body }) => [operationId, body]));
  for (const [operation, valid] of Object.entries(bodies))
    for (const sent of valid.flatMap((body) => [...replacedParts(body, { toString: 1, valueOf: null })]))
      expect(() => `${operation} ${schemas.get(operation)!.safeParse(sent).success}`).not.toThrow();
});

test('nothing of another account has changed', async () => {
  expect(await subject.foreignState()).toBe(foreignBefore);
});

test('no promise rejection is unhandled', () => {
  expect(unhandled).toEqual([]);
});

test('requests reach every operation, and most operations respond with 200', () => {
  const called = [...campaign.responses].filter(([operation]) => operation !== STRAY);
  expect(unreached(campaign)).toEqual([]);
  const succeeded = called.filter(([, byStatus]) => byStatus.has(200));
  expect(succeeded.length).toBeGreaterThan(called.length / 2);
});
