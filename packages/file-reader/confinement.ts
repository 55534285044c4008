import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * A program that confines itself with Landlock and seccomp, and then becomes the command after `--`. The command cannot open
 * other files than those named, write, make a socket, signal a process outside, or read its memory, environment or
 * descriptors: each of these fails with EACCES or EPERM. It needs no privilege, so it works in containers with their default
 * profiles. It is Perl, because both confine one thread and Node has several when its first line runs; every image of Debian
 * and Ubuntu has Perl. Arguments: the number of prctl, the filter in hexadecimal, files and folders to read, and behind `x:`
 * those to execute. Those that do not exist are skipped. Source of the numbers: linux/landlock.h, linux/prctl.h.
 */
const CONFINE = String.raw`
use strict; use Fcntl;
my ($prctl, $filter) = (shift() + 0, pack 'H*', shift);
my $abi = syscall 444, 0, 0, 1;
die "the kernel has no Landlock\n" if $abi < 1;
my $attributes = pack 'Q3', (1 << (13 + ($abi > 1) + ($abi > 2) + ($abi > 4))) - 1, 3, 3;
my $rules = syscall 444, $attributes, $abi > 5 ? 24 : $abi > 3 ? 16 : 8, 0;
die "no rules: $!\n" if $rules < 0;
while (@ARGV and (my $path = shift) ne '--') {
  my $executes = $path =~ s/^x://;
  sysopen my $opened, $path, 0x200000 or next;
  my $rule = pack 'Ql', 4 | $executes | (-d $path ? 8 : 0), fileno $opened;
  die "$path: $!\n" if syscall 445, $rules, 1, $rule, 0;
}
my $program = pack 'Sx6P', length($filter) / 8, $filter;
die "not confined: $!\n"
  if syscall($prctl, 38, 1, 0, 0, 0) or syscall(446, $rules, 0) or syscall($prctl, 22, 2, $program, 0, 0);
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";`;

/** Numbers of an architecture: linux/audit.h and the tables of system calls. */
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, { audit: number; prctl: number; refused: number[] }>> = {
  // socket, ptrace, process_vm_readv, process_vm_writev
  x64: { audit: 0xc000003e, prctl: 157, refused: [41, 101, 310, 311] },
  arm64: { audit: 0xc00000b7, prctl: 167, refused: [198, 117, 270, 271] },
};

/** io_uring_setup, which makes sockets without the call, and pidfd_getfd: the same number everywhere. */
const REFUSED_EVERYWHERE = [425, 438];

/** Returns the program for seccomp: it refuses the calls, and ends a process that calls as another architecture. */
function seccompFilter({ audit, refused }: { audit: number; refused: readonly number[] }): Buffer {
  const LOAD = 0x20;
  const IF_EQUAL = 0x15;
  const IF_AT_LEAST = 0x35;
  const RETURN = 0x06;
  const calls = [...refused, ...REFUSED_EVERYWHERE];
  const instructions = [
    [LOAD, 0, 0, 4],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, 0x80000000],
    [LOAD, 0, 0, 0],
    // Calls of the x32 ABI have numbers of their own.
    [IF_AT_LEAST, calls.length + 1, 0, 0x40000000],
    ...calls.map((call, i) => [IF_EQUAL, calls.length - i, 0, call]),
    [RETURN, 0, 0, 0x7fff0000],
    [RETURN, 0, 0, 0x00050000 | 13],
  ] as const;
  const program = Buffer.alloc(8 * instructions.length);
  instructions.forEach(([code, ifTrue, ifFalse, value], i) => {
    program.writeUInt16LE(code, 8 * i);
    program.writeUInt8(ifTrue, 8 * i + 2);
    program.writeUInt8(ifFalse, 8 * i + 3);
    program.writeUInt32LE(value, 8 * i + 4);
  });
  return program;
}

/** What Node needs to run code of this project: itself, its libraries, the code, its packages and fonts. */
const NODE = {
  read: [
    ...[
      '/usr/share',
      '/usr/lib/ssl',
      '/etc/ssl/openssl.cnf',
      '/etc/fonts',
      '/etc/ld.so.cache',
      '/dev/urandom',
      '/proc/self',
    ],
    ...[resolve(__dirname, '..'), ...module.paths],
    ...['../../package.json', '../../../package.json'].map((path) => resolve(__dirname, path)),
  ],
  execute: [process.execPath, '/lib', '/lib64', '/usr/lib', '/usr/local/lib'],
};

/**
 * Returns a command that runs Node confined.
 * @param node the command: Node and its arguments
 * @param read what it may read beside what Node needs
 */
export function confined(node: readonly string[], read: readonly string[]): string[] {
  const architecture = ARCHITECTURES[process.arch]!;
  const filter = seccompFilter(architecture).toString('hex');
  const paths = [...NODE.read, ...read, ...NODE.execute.map((path) => `x:${path}`)];
  return ['perl', '-e', CONFINE, String(architecture.prctl), filter, ...paths, '--', ...node];
}

let reason: Promise<string | null> | undefined;

/** Returns null when this machine can confine Node, or why it cannot. */
export function whyNotConfined(): Promise<string | null> {
  reason ??= tryConfined();
  return reason;
}

async function tryConfined(): Promise<string | null> {
  if (process.platform !== 'linux') return `${process.platform} has no Landlock`;
  if (ARCHITECTURES[process.arch] === undefined) return `no filter is known for ${process.arch}`;
  const [program, ...args] = confined([process.execPath, '--version'], []);
  try {
    await promisify(execFile)(program!, args, { env: {}, timeout: 60_000 });
    return null;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return stderr?.trim() || message.slice(0, 200);
  }
}
