import { answersTable, type Campaign, runCampaign } from './campaign';
import { STRAY } from './requests';
import { fuzzSubject, type Subject } from './subject';

/** `npm run fuzz` sets these, and is watched; without them it is the short form. */
const WATCHED = process.env.FUZZ_REQUESTS !== undefined;
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);

const tell = (text: string) => WATCHED && process.stderr.write(`${text}\n`);
const loose: unknown[] = [];
const note = (error: unknown) => void loose.push(error);
let subject: Subject;
let campaign: Campaign;
let foreignBefore: string;

jest.setTimeout(Math.max(120_000, REQUESTS * 60));

beforeAll(async () => {
  subject = await fuzzSubject();
  foreignBefore = await subject.foreignState();
  process.on('unhandledRejection', note);
  let told = 0;
  campaign = await runCampaign(subject, {
    requests: REQUESTS,
    seed: SEED,
    onProgress: ({ requests: sent, findings }) => {
      for (const finding of findings.slice(told)) tell(JSON.stringify(finding, null, 2));
      told = findings.length;
      tell(`${sent} of ${REQUESTS} requests, ${findings.length} findings`);
    },
  });
  tell(answersTable(campaign));
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

test('the requests get past the door: every operation was answered by its handler or its schema, most with 200', () => {
  const answered = [...campaign.answers].filter(([operation]) => operation !== STRAY);
  const unreached = answered
    .filter(([, byStatus]) => [...byStatus.keys()].every((status) => [401, 403, 405, 415].includes(status)))
    .map(([operation]) => operation);
  expect(unreached).toEqual([]);
  const done = answered.filter(([, byStatus]) => byStatus.has(200));
  expect(done.length).toBeGreaterThan(answered.length / 2);
});
