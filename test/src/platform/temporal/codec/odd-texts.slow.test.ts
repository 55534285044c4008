import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import fc from 'fast-check';
import { loadConfig } from '../../../../../src/platform/config';
import { cleanText } from '../../../../../src/platform/domain/foreign-text';
import { dataConverterOf } from '../../../../../src/platform/temporal/codec/data-converter';
import { connectTemporal } from '../../../../../src/platform/temporal/connection';
import { testTemporalAddress } from '../../../../support/servers';
import type { activityTexts, OddActivities, workflowTexts } from './odd-texts/workflows';

/** Texts that a worker cannot hand to Temporal as they are. They must not end it. */

let temporal: Client;
let worker: Worker;
let running: Promise<void>;
const taskQueue = `odd-texts-${randomUUID()}`;

/** The texts that the activities use. */
let texts: readonly string[] = [];

/** The details of the last heartbeat before the attempt failed arrive at the next one. */
const activities: OddActivities = {
  async fail(text) {
    const odd = texts[text]!;
    throw ApplicationFailure.create({
      message: odd,
      type: odd.slice(0, 100),
      details: [odd.slice(0, 1_000)],
      cause: new Error(odd),
    });
  },
  async report(text) {
    return { [`name ${texts[text]!.slice(0, 100)}`]: texts[text] ?? '' };
  },
  async beat(text) {
    const { info, heartbeat } = Context.current();
    if (info.attempt === 2) return info.heartbeatDetails;
    heartbeat(texts[text]);
    throw new Error(texts[text]);
  },
};

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  worker = await Worker.create({
    connection: await NativeConnection.connect({ address: testTemporalAddress() }),
    taskQueue,
    workflowsPath: join(__dirname, 'odd-texts', 'workflows.ts'),
    dataConverter: dataConverterOf(undefined),
    activities,
  });
  running = worker.run();
});

afterAll(async () => {
  if (worker.getState() === 'RUNNING') worker.shutdown();
  await running;
  await temporal.connection.close();
});

const ODD = ['\ud83d', '\ude00', '\0', '\u{1f600}', '\\ud83d', '"', '\u2028'];
const oddText = fc
  .array(fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 20 })
  .map((parts) => parts.join(''));

/** Returns the beginning of a text, which is the same however long a failure's text may be. */
const beginning = (text: unknown) => [...String(text)].slice(0, 500).join('');

async function expectTextsToArrive(odd: readonly string[]): Promise<void> {
  texts = odd;
  const arrived = await temporal.workflow.execute<typeof activityTexts>('activityTexts', {
    workflowId: `${taskQueue}-${randomUUID()}`,
    taskQueue,
    args: [odd.length],
  });
  odd.forEach((text, index) => {
    const clean = cleanText(text);
    const [message, type, details, cause, report, beat] = arrived[index]!;
    expect(beginning(message)).toBe(beginning(clean));
    expect([type ?? '', details]).toEqual([cleanText(text.slice(0, 100)), [cleanText(text.slice(0, 1_000))]]);
    expect(beginning(cause)).toBe(beginning(clean));
    expect(report).toEqual({ [`name ${cleanText(text.slice(0, 100))}`]: clean });
    expect(beat).toBe(clean);
  });
  expect(worker.getState()).toBe('RUNNING');
}

test('a worker continues when errors, results and heartbeats of activities have any text', async () => {
  await fc.assert(fc.asyncProperty(fc.array(oddText, { minLength: 1, maxLength: 5 }), expectTextsToArrive), {
    numRuns: 12,
  });
});

test.each([
  ['of 1 MB', 'x'.repeat(1_000_000)],
  ['of 300,000 halves of pairs', '\ud83d'.repeat(300_000)],
  ['of 300,000 times U+0000', '\0'.repeat(300_000)],
])('a worker lives with a text %s', async (_what, text) => {
  await expectTextsToArrive([text]);
});

test('a worker continues when failures, results and details of workflow code have any text', async () => {
  await fc.assert(
    fc.asyncProperty(oddText, async (text) => {
      texts = [text];
      const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
      const run = await temporal.workflow.start<typeof workflowTexts>('workflowTexts', {
        workflowId: `${taskQueue}-${randomUUID()}`,
        taskQueue,
        args: [units],
      });
      expect(await run.executeUpdate('echo', { args: [units] })).toBe(cleanText(text));
      await expect(run.executeUpdate('refuse', { args: [units] })).rejects.toMatchObject({
        cause: { message: cleanText(text) },
      });
      expect(await run.query('echo', units)).toBe(cleanText(text));
      await run.signal('end');
      await expect(run.result()).rejects.toMatchObject({ cause: { message: cleanText(text) } });
      expect(worker.getState()).toBe('RUNNING');
    }),
    { numRuns: 12 },
  );
});
