import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';

/** Editors write a file in several steps, and a checkout changes many files. */
const QUIET_MS = 300;

/** Resolves with the exit code of a process. */
function exitCode(child) {
  return new Promise((resolve) => {
    child
      .once('error', (error) => {
        console.error(error.message);
        resolve(1);
      })
      .once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Builds and starts a program, and does both again after every change of a source. When the build fails, the running program
 * stays. Ends with the program at SIGINT or SIGTERM. `node --watch` restarts a program for each file that a build writes, also
 * when the build then fails, and starts the new one before the old one has stopped its servers.
 * @param options folders are watched with their subfolders; build and start are commands with arguments
 */
export function watchAndRestart({ folders, build, start }) {
  let child;
  let builder;
  let isBusy = false;
  let isChanged = false;
  let isStopping = false;
  let timer;

  const ended = (process) =>
    process === undefined || process.exitCode !== null || process.signalCode !== null
      ? Promise.resolve()
      : new Promise((resolve) => process.once('exit', resolve));

  async function stopChild() {
    child?.kill('SIGTERM');
    await ended(child);
  }

  function startChild() {
    const [command, ...args] = start;
    const started = spawn(command, args, { stdio: 'inherit' });
    child = started;
    started.once('exit', (code) => {
      if (child === started && !isStopping && !isBusy)
        console.log(`The program ended with ${code ?? started.signalCode}. It starts again after the next change.`);
    });
  }

  async function rebuild() {
    if (isBusy) {
      isChanged = true;
      return;
    }
    isBusy = true;
    do {
      isChanged = false;
      const [command, ...args] = build;
      builder = spawn(command, args, { stdio: 'inherit' });
      const code = await exitCode(builder);
      if (isStopping) break;
      if (code !== 0) console.log('The build failed. The program stays as it is until the next change.');
      else if (!isChanged) {
        await stopChild();
        if (!isStopping) startChild();
      }
    } while (isChanged);
    isBusy = false;
  }

  const watchers = folders.filter(existsSync).map((folder) =>
    watch(folder, { recursive: true }, (_, name) => {
      // The client's operations are written by the build.
      if (name === null || /(^|\/)operations\.ts|~$|\.swp$/.test(String(name))) return;
      clearTimeout(timer);
      timer = setTimeout(rebuild, QUIET_MS);
    }),
  );

  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, async () => {
      isStopping = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      builder?.kill('SIGTERM');
      await ended(builder);
      // A terminal sends Ctrl-C to the program too, and a second signal would end it at once.
      if (signal === 'SIGINT' && process.stdin.isTTY) await ended(child);
      else await stopChild();
      process.exit(0);
    });
  return rebuild();
}
