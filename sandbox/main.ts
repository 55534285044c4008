#!/usr/bin/env node
/** The command of the package @pressline/sandbox. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { pino } from 'pino';
import { parseSecretsBySender } from '../src/platform/http/webhook-signature';
import { parseNamedList } from '../src/platform/sealing/named-keys';
import { FAST, type Mode, startSandbox, WATCHABLE } from './index';

interface Options {
  readonly presslineUrl: string;
  readonly partners: readonly { readonly name: string; readonly apiKey: string }[];
  readonly carrierSecrets: Readonly<Record<string, string>>;
  readonly port: string;
  readonly folder: string;
  readonly mode: Mode;
  readonly fast?: true;
}

/** Parses `prints-berlin:plk_…,prints-ohio:plk_…`. */
function partnerList(text: string): Options['partners'] {
  const entries = parseNamedList(text, /^([\w.-]{1,100}):(\S+)$/);
  if (entries === undefined)
    throw new InvalidArgumentError('Expected names and keys: prints-berlin:plk_…,prints-ohio:plk_…');
  return entries.map(([name, apiKey]) => ({ name: name!, apiKey: apiKey! }));
}

/** Parses `tern_parcel:whsec_…`. Signs with the first secret of each carrier. */
function secretList(text: string): Options['carrierSecrets'] {
  const secrets = parseSecretsBySender(text);
  if (secrets === undefined) throw new InvalidArgumentError('Expected carriers and secrets: tern_parcel:whsec_…');
  return Object.fromEntries([...secrets].map(([uid, [secret]]) => [uid, secret!]));
}

const program = new Command('sandbox')
  .description('Plays print partners, carriers and hosts of print files for a Pressline on this machine.')
  .addOption(new Option('--pressline-url <url>', 'base URL of the API').env('PRESSLINE_URL').makeOptionMandatory())
  .addOption(
    new Option('--partners <name:key,…>', 'partners to play, with their API keys')
      .env('SANDBOX_PARTNERS')
      .argParser(partnerList)
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--carrier-secrets <uid:secret,…>', 'carriers to play, with the secrets that sign their events')
      .env('CARRIER_WEBHOOK_SECRETS')
      .argParser(secretList)
      .default({}, 'none'),
  )
  .option('--port <port>', 'port on 127.0.0.1; 0 picks a free one', '3100')
  .option('--folder <folder>', 'folder of the journal', '.pressline-sandbox')
  .addOption(
    new Option('--mode <mode>', 'auto: partners process print orders. manual: you send their postbacks')
      .choices(['auto', 'manual'])
      .default('auto'),
  )
  .option('--fast', 'without the pauses that let people watch')
  .parse();

async function main(): Promise<void> {
  const { presslineUrl, partners, carrierSecrets, port, folder, mode, fast } = program.opts<Options>();
  const sandbox = await startSandbox({
    port: Number(port),
    presslineUrl: presslineUrl.replace(/\/$/, ''),
    folder,
    mode,
    partners,
    carrierSecrets,
    pace: fast ? FAST : WATCHABLE,
    log: pino({ level: 'warn' }),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void sandbox.stop().then(() => process.exit(0)));
  process.stdout.write(`Sandbox      ${sandbox.url}\n`);
  await sandbox.subscribed;
  process.stdout.write('The partners have subscribed. Press Ctrl-C to stop.\n');
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
