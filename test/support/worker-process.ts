import { randomBytes } from 'node:crypto';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { Program } from '../cli/stack-process';
import { TEST_SECRET_KEYS } from './secret-box';
import type { TestStack } from './stack';

/** Starts a worker of a stack in a process of its own. */
export async function startWorkerProcess({ services: { config }, baseUrl }: TestStack): Promise<Program> {
  const { PATH, HOME, TZ, NODE_COMPILE_CACHE } = process.env;
  const worker = Program.start('worker', {
    PATH,
    HOME,
    TZ,
    NODE_COMPILE_CACHE,
    DATA_DIR: config.DATA_DIR,
    DATABASE_URL: config.DATABASE_URL,
    TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS,
    TEMPORAL_TASK_QUEUE: config.TEMPORAL_TASK_QUEUE,
    PUBLIC_URL: baseUrl,
    LINK_SECRET: randomBytes(32).toString('hex'),
    SECRET_KEYS: `${TEST_SECRET_KEYS[0]!.id}:${TEST_SECRET_KEYS[0]!.key.toString('base64')}`,
    CARRIER_WEBHOOK_SECRETS: `tern_parcel:${newSigningSecret()}`,
    OUTBOUND_ALLOW_PRIVATE: 'true',
    METRICS_PORT: 'off',
    LOG_FORMAT: 'json',
  });
  await worker.printed('worker is up');
  return worker;
}
