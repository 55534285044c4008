import type { ProductKind } from '../../src/catalog/domain/product';
import type { PrintOrderVersion } from '../../src/partners/domain/partner-protocol';
import { createSafeClient } from '../../src/platform/http/safe-client';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { CheckImpossible, checkPartner } from './check-partner';
import { startCheckListener } from './listener';
import { reportText } from './report';

/** The options of `check-partner` as the command line has them. */
export interface CheckPartnerOptions {
  readonly url: string;
  readonly apparelUrl?: string;
  readonly cancelUrl?: string;
  readonly updateUrl?: string;
  readonly inventoryUrl?: string;
  readonly secret?: string;
  readonly version?: PrintOrderVersion;
  readonly kinds: readonly ProductKind[];
  /** True without a number of seconds. */
  readonly waitPostbacks?: number | true;
  readonly listen: string;
  readonly publicUrl?: string;
  readonly json?: true;
}

const DEFAULT_WAIT_SECONDS = 120;

const EXIT = { passed: 0, findings: 1, couldNotRun: 2 } as const;

/**
 * Checks a print partner's endpoints and prints the report.
 * @returns the exit code: 0 when all passed, 1 with findings, 2 when the check could not run
 */
export async function checkPartnerCommand(options: CheckPartnerOptions): Promise<number> {
  const { waitPostbacks, secret, apparelUrl, cancelUrl, updateUrl, inventoryUrl } = options;
  const problem = problemOf(options);
  if (problem !== undefined) return couldNotRun(problem);
  const client = createSafeClient({ allowPrivate: true });
  const listener = await startCheckListener({
    ...listenAddress(options.listen)!,
    secret: secret ?? newSigningSecret(),
    publicUrl: options.publicUrl?.replace(/\/$/, ''),
  }).catch((error: Error) => error);
  if (listener instanceof Error) return couldNotRun(`--listen ${options.listen}: ${listener.message}`);
  const waitSeconds = waitPostbacks === true ? DEFAULT_WAIT_SECONDS : waitPostbacks;
  try {
    const report = await checkPartner(
      {
        orderSubmitUrl: options.url,
        apparelOrderSubmitUrl: apparelUrl ?? null,
        orderCancelUrl: cancelUrl ?? null,
        orderUpdateUrl: updateUrl ?? null,
        inventoryUrl: inventoryUrl ?? null,
        printOrderVersion: options.version ?? null,
        kinds: options.kinds,
        secrets: secret === undefined ? [] : [secret],
      },
      {
        client,
        allowPrivate: true,
        filesUrl: `${listener.url}/files`,
        ...(waitSeconds === undefined ? {} : { postbacks: { inbox: listener, waitMs: waitSeconds * 1_000 } }),
      },
    );
    process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
    return report.passed ? EXIT.passed : EXIT.findings;
  } catch (error) {
    if (error instanceof CheckImpossible) return couldNotRun(error.message);
    return couldNotRun((error as Error).stack ?? String(error));
  } finally {
    await listener.stop();
    await client.close();
  }
}

function couldNotRun(message: string): number {
  process.stderr.write(`The check could not run: ${message}\n`);
  return EXIT.couldNotRun;
}

/** Returns what is wrong with the options. Plain http is allowed to this machine only. */
function problemOf(options: CheckPartnerOptions): string | undefined {
  const { url, apparelUrl, cancelUrl, updateUrl, inventoryUrl, secret, listen } = options;
  for (const address of [url, apparelUrl, cancelUrl, updateUrl, inventoryUrl]) {
    if (address === undefined) continue;
    const parsed = URL.parse(address);
    if (parsed === null) return `${address} is not a URL`;
    if (parsed.protocol === 'http:' && !isLoopback(parsed.hostname))
      return `${address}: plain http is allowed to this machine only, use https`;
  }
  if (secret !== undefined && Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length < 16)
    return '--secret is not a signing secret: whsec_ and base64';
  if (listenAddress(listen) === undefined) return `--listen ${listen}: expected <host>:<port>`;
  return undefined;
}

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Parses `127.0.0.1:4100` or `[::1]:4100`. */
function listenAddress(text: string): { host: string; port: number } | undefined {
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  return { host, port: Number(port) };
}
