/**
 * Builds programs that scripts run, from the Go modules that tools/<name>/go.mod pins. A built program is kept in the
 * cache folder of the user (the same one that packages/embedded-servers/temporal-binary.ts uses).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** The folder of a module under tools/ (the tool's name unless given), its main package, and linker flags such as its version. */
const TOOLS = {
  compose: {
    package: 'github.com/docker/compose/v2/cmd',
    module: 'github.com/docker/compose/v2',
    flags: (version) => `-X github.com/docker/compose/v2/internal.Version=${version}`,
  },
  helm: {
    package: 'helm.sh/helm/v4/cmd/helm',
    module: 'helm.sh/helm/v4',
    flags: (version) => `-X helm.sh/helm/v4/internal/version.version=${version}`,
  },
  'temporal-server': {
    package: 'go.temporal.io/server/cmd/server',
    module: 'go.temporal.io/server',
  },
  'temporal-sql-tool': {
    folder: 'temporal-server',
    package: 'go.temporal.io/server/cmd/tools/sql',
    module: 'go.temporal.io/server',
  },
  versitygw: {
    folder: 's3',
    package: 'github.com/versity/versitygw/cmd/versitygw',
    module: 'github.com/versity/versitygw',
  },
};

/** Returns the folder in which built and installed programs are kept. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pressline');
}

/** Returns the path of a program on the PATH, or undefined. */
export function programOnPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);
}

/**
 * Returns the path of a program that is built from a module under tools/. Builds it when the cache does not have the pinned version.
 * @throws Error when Go is missing or the build fails
 */
export function goTool(name) {
  const tool = TOOLS[name];
  const folder = join(root, 'tools', tool.folder ?? name);
  const pinned = new RegExp(`\\b${tool.module} (v\\S+)`).exec(readFileSync(join(folder, 'go.mod'), 'utf8'));
  if (pinned === null) throw new Error(`${folder}/go.mod does not pin ${tool.module}`);
  const version = pinned[1];
  const cache = cacheFolder();
  const target = join(cache, `${name}-${version}-${process.platform}-${process.arch}`);
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  console.log(`Building ${tool.package} ${version} with Go (up to five minutes, once per user)`);
  const unfinished = `${target}.${process.pid}.tmp`;
  const flags = tool.flags?.(version) ?? '';
  const { error, status } = spawnSync(
    'go',
    ['build', '-buildvcs=false', '-ldflags', `-s -w ${flags}`, '-o', unfinished, tool.package],
    { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, CGO_ENABLED: '0' } },
  );
  if (error !== undefined || status !== 0)
    throw new Error(`the build of ${name} failed: ${error?.message ?? `go build ended with ${status}`}`);
  renameSync(unfinished, target);
  return target;
}
