import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2 from 'ssh2';

/** SFTP servers of tests: OpenSSH, and one that misbehaves on demand. Both serve a temporary folder. */

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

export interface SftpFolder {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly folder: string;
  readonly hostKey: string;
  write(name: string, content: string | Buffer): Promise<void>;
  /** Returns the names in a folder, without those that begin with a full stop. */
  list(folder: string): Promise<string[]>;
  /** Returns the content of the one file in a folder whose name matches. */
  read(folder: string, name: RegExp): Promise<string>;
  close(): Promise<void>;
}

const fingerprint = (publicKey: Buffer) =>
  `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`;

/** Returns a new key. Some that the package makes cannot be read by it. */
function newKey() {
  for (;;) {
    const { private: privateKey, public: publicKey } = ssh2.utils.generateKeyPairSync('ed25519');
    const parsed = ssh2.utils.parseKey(privateKey);
    if (!(parsed instanceof Error)) return { privateKey, publicKey, hostKey: fingerprint(parsed.getPublicSSH()) };
  }
}

async function filesIn(root: string) {
  await fs.mkdir(join(root, 'in'), { recursive: true });
  const list = async (folder: string) =>
    (await fs.readdir(join(root, folder)).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
  return {
    folder: root,
    write: async (name: string, content: string | Buffer) => await fs.writeFile(join(root, name), content),
    list,
    async read(folder: string, name: RegExp) {
      const [found, ...more] = (await list(folder)).filter((one) => name.test(one));
      if (found === undefined || more.length > 0) throw new Error(`${folder} has ${(await list(folder)).join(', ')}`);
      return await fs.readFile(join(root, folder, found), 'utf8');
    },
  };
}

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find((path) => existsSync(path));

/**
 * Starts OpenSSH on a free port, for the user of the tests with a key.
 * @throws when it is not installed
 */
export async function startOpenSsh(): Promise<SftpFolder & { readonly privateKey: string }> {
  if (SSHD === undefined)
    throw new Error('This test needs the OpenSSH server. Debian: apt-get install openssh-server.');
  const root = await fs.mkdtemp(join(tmpdir(), 'pressline-sshd-'));
  const files = await filesIn(join(root, 'files'));
  const host = newKey();
  const user = newKey();
  const put = (name: string, content: string) => fs.writeFile(join(root, name), content, { mode: 0o600 });
  await put('host_key', host.privateKey);
  await put('authorized_keys', user.publicKey);
  // OpenSSH gives up its rights in this folder when root starts it.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  const port = await freePort();
  await put(
    'config',
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${join(root, 'host_key')}`,
      `AuthorizedKeysFile ${join(root, 'authorized_keys')}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin prohibit-password',
      'Subsystem sftp internal-sftp',
      '',
    ].join('\n'),
  );
  const server = spawn(SSHD, ['-D', '-e', '-f', join(root, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', (chunk) => {
    log += chunk;
  });
  for (let attempt = 0; !(await isOpen(port)); attempt += 1) {
    if (server.exitCode !== null || attempt > 100) throw new Error(`OpenSSH has not started: ${log}`);
    await sleep(50);
  }
  return {
    ...files,
    host: '127.0.0.1',
    port,
    username: userInfo().username,
    hostKey: host.hostKey,
    privateKey: user.privateKey,
    async close() {
      server.kill();
      await fs.rm(root, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = new ssh2.Server({ hostKeys: [newKey().privateKey] }, () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const isOpen = async (port: number) =>
  await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** What the server does wrong. */
export interface Faults {
  /** Ends the connection at the first read of a file with this name. */
  cutAt?: string | undefined;
  /** Refuses to change paths that contain this. */
  denied?: string | undefined;
}

/** Starts a server of the package ssh2, with a password, that does wrong what `faults` says. */
export async function startFaultySftp(): Promise<
  SftpFolder & { readonly password: string; readonly faults: Faults; readonly logins: string[] }
> {
  const root = await fs.mkdtemp(join(tmpdir(), 'pressline-sftp-'));
  const files = await filesIn(root);
  const { privateKey, hostKey } = newKey();
  const password = 'a good password';
  const faults: Faults = {};
  const logins: string[] = [];
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    // The types leave it out.
    (client as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true);
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      if (context.method !== 'password') return context.reject(['password']);
      logins.push(context.password);
      return context.password === password ? context.accept() : context.reject();
    });
    client.on('session', (accept) => accept().on('sftp', (open) => serve(open(), () => client.end())));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function serve(sftp: ssh2.SFTPWrapper, cut: () => void): void {
    const handles = new Map<number, { path: string; file?: fs.FileHandle; isRead?: boolean }>();
    let last = 0;
    const opened = (entry: { path: string; file?: fs.FileHandle }) => {
      handles.set(++last, entry);
      const handle = Buffer.alloc(4);
      handle.writeUInt32BE(last);
      return handle;
    };
    const of = (handle: Buffer) => handles.get(handle.readUInt32BE())!;
    /** Answers with a status for a failure. */
    const answer = (id: number, act: () => Promise<void>) => {
      act().catch((error: NodeJS.ErrnoException) => {
        const denied = error.code === 'EACCES' ? STATUS_CODE.PERMISSION_DENIED : STATUS_CODE.FAILURE;
        sftp.status(id, error.code === 'ENOENT' ? STATUS_CODE.NO_SUCH_FILE : denied, error.message);
      });
    };
    const refuseDenied = (path: string) => {
      if (faults.denied !== undefined && path.includes(faults.denied))
        throw Object.assign(new Error('Permission denied'), { code: 'EACCES' });
    };
    const attributes = ({ mode, uid, gid, size, atimeMs, mtimeMs }: Awaited<ReturnType<typeof fs.stat>>) => ({
      mode: Number(mode),
      uid: Number(uid),
      gid: Number(gid),
      size: Number(size),
      atime: Math.floor(Number(atimeMs) / 1_000),
      mtime: Math.floor(Number(mtimeMs) / 1_000),
    });
    const change = (id: number, path: string, act: () => Promise<unknown>) =>
      answer(id, async () => {
        refuseDenied(path);
        await act();
        sftp.status(id, STATUS_CODE.OK);
      });
    sftp.on('REALPATH', (id, path) =>
      sftp.name(id, [{ filename: path, longname: path, attrs: {} as ssh2.Attributes }]),
    );
    for (const event of ['STAT', 'LSTAT'] as const)
      sftp.on(event as 'STAT', (id, path) => answer(id, async () => sftp.attrs(id, attributes(await fs.stat(path)))));
    sftp.on('FSTAT', (id, handle) => answer(id, async () => sftp.attrs(id, attributes(await of(handle).file!.stat()))));
    sftp.on('OPENDIR', (id, path) =>
      answer(id, async () => {
        await fs.access(path);
        sftp.handle(id, opened({ path }));
      }),
    );
    sftp.on('READDIR', (id, handle) =>
      answer(id, async () => {
        const entry = of(handle);
        if (entry.isRead) return sftp.status(id, STATUS_CODE.EOF);
        entry.isRead = true;
        const names = await Promise.all(
          (await fs.readdir(entry.path)).map(async (filename) => {
            const stat = await fs.stat(join(entry.path, filename));
            const type = stat.isDirectory() ? 'd' : '-';
            return { filename, longname: `${type}rw-r--r-- 1 a a ${stat.size} ${filename}`, attrs: attributes(stat) };
          }),
        );
        return sftp.name(id, names);
      }),
    );
    sftp.on('OPEN', (id, path, flags) =>
      answer(id, async () => {
        const isWrite = (flags & OPEN_MODE.WRITE) !== 0;
        if (isWrite) refuseDenied(path);
        sftp.handle(id, opened({ path, file: await fs.open(path, isWrite ? 'w' : 'r') }));
      }),
    );
    sftp.on('READ', (id, handle, offset, length) =>
      answer(id, async () => {
        const { path, file } = of(handle);
        if (faults.cutAt !== undefined && path.endsWith(faults.cutAt)) return cut();
        const { bytesRead, buffer } = await file!.read(Buffer.alloc(length), 0, length, offset);
        return bytesRead === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.data(id, buffer.subarray(0, bytesRead));
      }),
    );
    sftp.on('WRITE', (id, handle, offset, data) =>
      answer(id, async () => {
        await of(handle).file!.write(data, 0, data.length, offset);
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
    sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK));
    sftp.on('CLOSE', (id, handle) =>
      answer(id, async () => {
        await of(handle).file?.close();
        handles.delete(handle.readUInt32BE());
        sftp.status(id, STATUS_CODE.OK);
      }),
    );
    sftp.on('REMOVE', (id, path) => change(id, path, () => fs.rm(path)));
    sftp.on('MKDIR', (id, path) => change(id, path, () => fs.mkdir(path)));
    sftp.on('RENAME', (id, from, to) =>
      change(id, `${dirname(from)} ${to}`, async () => {
        if (existsSync(to)) throw new Error('The target exists');
        await fs.rename(from, to);
      }),
    );
  }

  return {
    ...files,
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    username: 'shop',
    password,
    hostKey,
    faults,
    logins,
    async close() {
      server.close();
      await fs.rm(root, { recursive: true, force: true });
    },
  };
}
