import { NamespaceNotFoundError } from '@temporalio/common';
import type { ObjectStore } from '../../../src/platform/objects/object-store';
import { createS3Store } from '../../../src/platform/objects/s3-store';
import { isUnavailable } from '../../../src/platform/unavailable';
import { serveHttp } from '../../support/other-systems/http-server';

/** An object store that has its bucket, and responds to all other requests with one status. */
let store: ObjectStore;
let status: number;
beforeAll(async () => {
  const { url: endpoint } = await serveHttp((request, response) => {
    request.resume();
    const isBucket = request.method === 'HEAD';
    response.writeHead(isBucket ? 200 : status, { 'content-type': 'application/xml' });
    response.end(isBucket ? undefined : `<Error><Code>Code${status}</Code><Message>no</Message></Error>`);
  });
  process.env.AWS_ACCESS_KEY_ID = 'test-access';
  process.env.AWS_SECRET_ACCESS_KEY = 'test-secret-key';
  store = await createS3Store({ bucket: 'test', region: 'eu-central-1', endpoint, forcePathStyle: true });
});

const failure = async () =>
  await store.get('a/b').then(
    () => null,
    (error: unknown) => error,
  );

test.each([500, 503, 429])(
  'an object store that responds with %d is unavailable, also as the cause of an error',
  async (of) => {
    status = of;
    const error = await failure();
    expect(error).toMatchObject({ $metadata: { httpStatusCode: of } });
    expect(isUnavailable(error)).toBe(true);
    expect(isUnavailable(new Error('no document', { cause: error }))).toBe(true);
  },
);

test('an object store that refuses the request, or an error of another origin, is not', async () => {
  status = 403;
  const error = await failure();
  expect(error).toMatchObject({ $metadata: { httpStatusCode: 403 } });
  expect(isUnavailable(error)).toBe(false);
  expect(isUnavailable(Object.assign(new Error('slow'), { name: 'TimeoutError' }))).toBe(false);
});

test('an object store that does not respond in time is unavailable', async () => {
  // Made by hand: the real timeout takes a minute.
  const error = Object.assign(new Error('no byte'), { name: 'TimeoutError', $metadata: { attempts: 3 } });
  expect(isUnavailable(error)).toBe(true);
});

test('a Temporal server that does not know its namespace yet is unavailable', () => {
  expect(isUnavailable(new NamespaceNotFoundError('default'))).toBe(true);
});

test('an update of a run whose workflow task has failed is unavailable: the worker was overloaded', () => {
  const cause = Object.assign(new Error('9 FAILED_PRECONDITION: Workflow Task in failed state'), { code: 9 });
  expect(isUnavailable(new Error('Workflow Update failed', { cause }))).toBe(true);
});
