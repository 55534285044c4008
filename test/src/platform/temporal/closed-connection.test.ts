import { type AddressInfo, createServer } from 'node:net';
import { freePort } from '../../../../packages/embedded-servers/ports';
import { connectTemporal } from '../../../../src/platform/temporal/connection';

/** A server that accepts connections and breaks them. Calls fail, and the SDK tries them again. */
test('a call that is tried again after its connection was closed fails, and does not end the process', async () => {
  const port = await freePort();
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { connection } = connectTemporal({
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    TEMPORAL_NAMESPACE: 'default',
    PAYLOAD_KEYS: undefined,
  });
  const uncaught = jest.fn();
  process.on('uncaughtException', uncaught);
  try {
    const call = connection.withDeadline(Date.now() + 60_000, () => connection.workflowService.getSystemInfo({}));
    const ended = call.then(
      () => 'responded',
      (error: { code: number }) => error.code,
    );
    await new Promise((resolve) => server.once('connection', resolve));
    connection.close();
    expect(await ended).toBe(1);
    expect(uncaught).not.toHaveBeenCalled();
  } finally {
    process.off('uncaughtException', uncaught);
    server.close();
  }
});

test('the first try of a call after its connection was closed fails, and does not end the process', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { connection } = connectTemporal({
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    TEMPORAL_NAMESPACE: 'default',
    PAYLOAD_KEYS: undefined,
  });
  await connection.close();
  const uncaught = jest.fn();
  process.on('uncaughtException', uncaught);
  try {
    const ended = await connection.workflowService.getSystemInfo({}).then(
      () => 'responded',
      (error: { code: number; details: string }) => [error.code, error.details],
    );
    expect(ended).toEqual([1, 'Channel has been shut down']);
    expect(uncaught).not.toHaveBeenCalled();
  } finally {
    process.off('uncaughtException', uncaught);
    server.close();
  }
});
