import { answersTable, type Campaign, runCampaign } from './campaign';
import { fuzzSubject, type Subject } from './subject';

/** `npm run fuzz` sets these; without them it is the short form. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 3_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);

jest.setTimeout(Math.max(120_000, REQUESTS * 60));

let subject: Subject;
let campaign: Campaign;
let foreignBefore: string;
const loose: unknown[] = [];
const note = (error: unknown) => void loose.push(error);

beforeAll(async () => {
  subject = await fuzzSubject();
  foreignBefore = await subject.foreignState();
  process.on('unhandledRejection', note);
  let told = 0;
  campaign = await runCampaign(subject, {
    requests: REQUESTS,
    seed: SEED,
    onProgress: ({ requests, findings }) => {
      if (process.env.FUZZ_REQUESTS === undefined) return;
      for (const finding of findings.slice(told))
        process.stderr.write(`${JSON.stringify(finding, null, 2)}\n`);
      told = findings.length;
      process.stderr.write(`${requests} of ${REQUESTS} requests, ${findings.length} findings\n`);
    },
  });
  if (process.env.FUZZ_REQUESTS !== undefined) process.stderr.write(`${answersTable(campaign)}\n`);
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await subject.stop();
});

test('no request is answered as none may be: 5xx, internals, slowness, another body, rows of a refusal, foreign things', () => {
  expect(campaign.findings).toEqual([]);
});

test('nothing of another account has changed', async () => {
  expect(await subject.foreignState()).toBe(foreignBefore);
});

test('no promise was left to fail by itself', () => {
  expect(loose).toEqual([]);
});

test('the requests get past the door: every operation was answered by its handler or its schema', () => {
  const unreached = [...campaign.answers]
    .filter(([, byStatus]) =>
      [...byStatus.keys()].every((status) => [401, 403, 404, 405, 415].includes(status)),
    )
    .map(([operation]) => operation);
  expect(unreached.filter((operation) => operation !== 'stray')).toEqual([]);
});
