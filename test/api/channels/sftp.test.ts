import { type SftpFolder, startFaultySftp, startOpenSsh } from '../../support/sftp-servers';
import { type ChannelsApi, channelsApi, csv, HEADER } from './channels-api';

/** Channels whose files are on an SFTP server: OpenSSH, and a server that misbehaves. */

let api: ChannelsApi;

beforeAll(async () => {
  api = await channelsApi();
});

/** Creates a channel with a server. Returns its id. */
async function channelOf(server: SftpFolder, secret: object, changes: object = {}): Promise<string> {
  const { host, port, username, folder, hostKey } = server;
  const sftp = { host, port, username, folder, hostKey, ...secret, ...changes };
  const { body } = await api
    .call('post', '/v1/channels', { kind: 'sftp', name: `server ${Math.random()}`, sftp })
    .expect(200);
  return body.id as string;
}
const tested = async (id: string) => (await api.call('post', `/v1/channels/${id}/test`, {}).expect(200)).body;
const ordersOf = async (...references: string[]) => {
  const found = await api.sql<{ reference: string }[]>`
    SELECT order_reference_id AS reference FROM orders WHERE order_reference_id = ANY(${references}) ORDER BY 1`;
  return found.map(({ reference }) => reference);
};

describe('with OpenSSH', () => {
  let server: Awaited<ReturnType<typeof startOpenSsh>>;
  let channel: string;

  beforeAll(async () => {
    server = await startOpenSsh();
    channel = await channelOf(server, { privateKey: server.privateKey });
  });
  afterAll(async () => await server?.close());

  test('a test of the connection makes the folders, and says what it found', async () => {
    await server.write('in/not-yet.csv.part', 'x');
    await server.write('in/waits.csv', csv({ reference: 'ssh-0' }));
    expect(await tested(channel)).toEqual({
      works: true,
      message: 'The connection works. `in` has 1 CSV file.',
      hostKey: server.hostKey,
    });
    expect(await server.list('.')).toEqual(['done', 'in', 'out']);
    expect(await server.list('out')).toEqual([]);
  });

  test('files are read when their size is that of the poll before, and moved', async () => {
    await server.write('in/orders.csv', csv({ reference: 'ssh-1' }, { reference: 'ssh-2', email: 'nobody' }));
    const first = await api.poll(channel);
    expect(first).toMatchObject({ lastRunAt: expect.any(String), lastError: null, failures: 0 });
    expect(await ordersOf('ssh-0', 'ssh-1')).toEqual([]);
    await api.poll(channel);
    expect(await ordersOf('ssh-0', 'ssh-1', 'ssh-2')).toEqual(['ssh-0', 'ssh-1']);
    expect(await server.list('in')).toEqual(['not-yet.csv.part']);
    expect(await server.list('done')).toEqual([
      expect.stringMatching(/^\d{4}-.*Z-orders\.csv$/),
      expect.stringMatching(/^\d{4}-.*Z-waits\.csv$/),
    ]);
    const { body } = await api.call('get', `/v1/channels/${channel}/files`).expect(200);
    expect(body.files.map(({ name }: { name: string }) => name).sort()).toEqual(['orders.csv', 'waits.csv']);
  });

  test('what waits is in a file with its errors, once', async () => {
    await api.poll(channel);
    const errors = await server.read('out', /^errors-.*-orders\.csv$/);
    expect(errors.split('\r\n')[0]).toBe(`\uFEFF${`${HEADER},error`.replace(/[^,]+/g, '"$&"')}`);
    expect(errors.split('\r\n')[2]).toMatch(/"ssh-2".*"shippingAddress\.email: /);
    const names = await server.list('out');
    await api.poll(channel);
    expect(await server.list('out')).toEqual(names);
  });

  test('a file with a name that was there before is read, and one with the same content makes nothing', async () => {
    const content = csv({ reference: 'ssh-1' }, { reference: 'ssh-2', email: 'nobody' });
    for (const [name, body] of [
      ['orders.csv', csv({ reference: 'ssh-3' })],
      ['copy.csv', content],
    ] as const)
      await server.write(`in/${name}`, body);
    for (let poll = 0; poll < 2; poll += 1) await api.poll(channel);
    expect(await ordersOf('ssh-1', 'ssh-2', 'ssh-3')).toEqual(['ssh-1', 'ssh-3']);
    expect((await server.list('done')).filter((name) => name.endsWith('-orders.csv'))).toHaveLength(2);
    expect(await server.list('in')).toEqual(['not-yet.csv.part']);
  });

  test('a file that cannot be read is told with its line', async () => {
    await server.write('in/cut.csv', `${HEADER}\n"open`);
    for (let poll = 0; poll < 3; poll += 1) await api.poll(channel);
    expect(await server.read('out', /^errors-.*-cut\.csv$/)).toMatch(/^line,error\n2,.*quote is not closed/);
  });

  test('a key that the server does not know is refused, in words', async () => {
    const other = await channelOf(server, { password: 'wrong' });
    expect(await tested(other)).toEqual({
      works: false,
      message: `127.0.0.1:${server.port}: the server refused the user name, the password or the key.`,
      hostKey: server.hostKey,
    });
    const damaged = await channelOf(server, { privateKey: 'no key' });
    expect((await tested(damaged)).message).toContain('the private key cannot be read');
  });
});

describe('with a server that misbehaves', () => {
  let server: Awaited<ReturnType<typeof startFaultySftp>>;

  beforeEach(async () => {
    server = await startFaultySftp();
  });
  afterEach(async () => await server.close());
  const create = (changes: object = {}) => channelOf(server, { password: server.password }, changes);

  test('a server with another host key gets no password, and failures in a row are counted', async () => {
    const unknown = `SHA256:${'A'.repeat(43)}`;
    const channel = await create({ hostKey: unknown });
    expect(await tested(channel)).toMatchObject({ works: false, hostKey: server.hostKey });
    await api.poll(channel);
    expect(await api.poll(channel)).toMatchObject({
      failures: 2,
      lastError: expect.stringContaining(`has the host key ${server.hostKey}. The channel has ${unknown}`),
    });
    expect(server.logins).toEqual([]);
    // The stored password was for another server.
    const { password, host, port, username, folder, hostKey } = server;
    const patch = (sftp: object) => api.call('patch', `/v1/channels/${channel}`, { sftp });
    await patch({ host, port, username, folder, hostKey }).expect(400);
    const { body } = await patch({ host, port, username, folder, hostKey, password }).expect(200);
    expect(body.sftp).toEqual({ host, port, username, folder, hostKey });
    expect(await api.poll(channel)).toMatchObject({ failures: 0, lastError: null });
  });

  test('a channel without a host key learns it from a test', async () => {
    const channel = await create({ hostKey: null });
    const { works, message, hostKey } = await tested(channel);
    expect(works).toBe(false);
    expect(message).toContain(`has the host key ${server.hostKey}. The channel has none`);
    expect(server.logins).toEqual([]);
    const { host, port, username, folder } = server;
    await api.call('patch', `/v1/channels/${channel}`, { sftp: { host, port, username, folder, hostKey } }).expect(200);
    expect(await tested(channel)).toMatchObject({ works: true });
  });

  test('a connection that ends in the middle of a file is no loss', async () => {
    const channel = await create();
    await server.write('in/a.csv', csv({ reference: 'cut-1' }));
    await server.write('in/b.csv', csv({ reference: 'cut-2' }));
    await api.poll(channel);
    server.faults.cutAt = 'a.csv';
    expect(await api.poll(channel)).toMatchObject({ failures: 1, lastError: expect.stringContaining('a.csv: ') });
    expect(await server.list('in')).toContain('a.csv');
    server.faults.cutAt = undefined;
    expect(await api.poll(channel)).toMatchObject({ failures: 0 });
    expect(await ordersOf('cut-1', 'cut-2')).toEqual(['cut-1', 'cut-2']);
    expect(await server.list('in')).toEqual([]);
  });

  test('a file that grows is read when it is complete', async () => {
    const channel = await create();
    const rows = csv({ reference: 'grow-1' }, { reference: 'grow-2' });
    for (const length of [60, 400, rows.length]) {
      await server.write('in/grows.csv', rows.slice(0, length));
      await api.poll(channel);
      expect(await ordersOf('grow-1', 'grow-2')).toEqual([]);
    }
    await api.poll(channel);
    expect(await ordersOf('grow-1', 'grow-2')).toEqual(['grow-1', 'grow-2']);
  });

  test('a file that may not be moved makes its orders once, and the others go on', async () => {
    const channel = await create();
    await server.write('in/fixed.csv', csv({ reference: 'deny-1' }));
    await server.write('in/good.csv', csv({ reference: 'deny-2' }));
    server.faults.denied = 'fixed.csv';
    for (let poll = 0; poll < 3; poll += 1) await api.poll(channel);
    const { lastError } = await api.poll(channel);
    expect(lastError).toMatch(/^fixed\.csv: .*Permission denied/);
    expect(await ordersOf('deny-1', 'deny-2')).toEqual(['deny-1', 'deny-2']);
    expect(await server.list('in')).toEqual(['fixed.csv']);
    const { body } = await api.call('get', `/v1/channels/${channel}/files`).expect(200);
    expect(body.files).toHaveLength(2);
  });

  test('errors that could not be written are written by the next run', async () => {
    const channel = await create();
    await server.write('in/bad.csv', csv({ reference: 'late-1', email: 'nobody' }));
    for (let poll = 0; poll < 2; poll += 1) await api.poll(channel);
    server.faults.denied = '/out/';
    expect(await tested(channel)).toMatchObject({
      works: false,
      message: expect.stringContaining('Permission denied'),
    });
    expect(await api.poll(channel)).toMatchObject({ failures: 1 });
    server.faults.denied = undefined;
    expect(await api.poll(channel)).toMatchObject({ failures: 0 });
    expect(await server.read('out', /^errors-/)).toContain('late-1');
  });

  test('a private address is refused where private networks are', async () => {
    const guarded = await channelsApi({ OUTBOUND_ALLOW_PRIVATE: false });
    const { host, port, username, folder, hostKey, password } = server;
    const body = { kind: 'sftp', name: 'x', sftp: { host, port, username, folder, hostKey, password } };
    const { body: channel } = await guarded.call('post', '/v1/channels', body).expect(200);
    const { body: result } = await guarded.call('post', `/v1/channels/${channel.id}/test`, {}).expect(200);
    expect(result).toEqual({
      works: false,
      message: `127.0.0.1:${port}: 127.0.0.1 is a blocked address.`,
      hostKey: null,
    });
    expect(server.logins).toEqual([]);
  });
});

test('the secret of a server is sealed, and in no response', async () => {
  const sftp = { host: 'files.example.com', username: 'shop', password: 'not to be seen' };
  const { body } = await api.call('post', '/v1/channels', { kind: 'sftp', name: 'sealed', sftp }).expect(200);
  expect(JSON.stringify(body)).not.toContain('not to be seen');
  expect(body.sftp).toEqual({ host: 'files.example.com', port: 22, username: 'shop', folder: '.', hostKey: null });
  const [stored] = await api.sql`SELECT sftp_secret FROM channels WHERE id = ${body.id}`;
  expect(stored!.sftpSecret).toMatch(/^sealed:/);
  const audited = await api.sql`SELECT before, after FROM audit_log WHERE object_id = ${body.id}`;
  expect(JSON.stringify(audited)).not.toContain('not to be seen');
  await api.call('post', '/v1/channels', { kind: 'sftp', name: 'none' }).expect(400);
  await api.call('post', '/v1/channels', { kind: 'csv', name: 'both', sftp }).expect(400);
  const { password: _, ...withoutSecret } = sftp;
  await api.call('post', '/v1/channels', { kind: 'sftp', name: 'bare', sftp: withoutSecret }).expect(400);
});

test('a channel of uploaded files has no connection to test', async () => {
  const id = await api.create();
  expect(await tested(id)).toMatchObject({ works: true, hostKey: null });
  await api.call('post', `/v1/channels/${id}/test`, {}, api.other).expect(404);
});
