import { type Command, InvalidArgumentError, Option } from 'commander';
import { PRODUCT_KINDS, type ProductKind } from '../../src/catalog/domain/product';
import { PRINT_ORDER_VERSIONS } from '../../src/partners/domain/partner-protocol';
import type { CheckPartnerOptions } from './command';

/** Parses a whole number of seconds, up to 30 days. */
export function wholeSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,7}$/.test(text) && seconds <= 30 * 86_400) return seconds;
  throw new InvalidArgumentError('Expected a whole number of seconds, at most 2592000 (30 days).');
}

/** Parses a list such as `print,apparel`. */
function kindList(text: string): ProductKind[] {
  const kinds = text.split(',');
  if (kinds.every((kind) => (PRODUCT_KINDS as readonly string[]).includes(kind))) return kinds as ProductKind[];
  throw new InvalidArgumentError(`Expected a list of ${PRODUCT_KINDS.join(', ')}.`);
}

/** Adds the command that checks the endpoints of a print partner. @param name `check-partner`, or `check` in the kit for partners */
export function addCheckPartner(program: Command, name: string): void {
  program
    .command(name)
    .description('check that the endpoints of a print partner follow the rules (docs/partners.md)')
    .requiredOption('--url <url>', 'orderSubmitUrl of the partner')
    .option('--apparel-url <url>', 'apparelOrderSubmitUrl. Default: --url')
    .option('--cancel-url <url>', 'orderCancelUrl')
    .option('--update-url <url>', 'orderUpdateUrl')
    .option('--inventory-url <url>', 'inventoryUrl')
    .option('--secret <secret>', 'signing secret of the subscription. Without it, signatures are not checked')
    .addOption(new Option('--version <version>', 'version of print orders').choices(PRINT_ORDER_VERSIONS))
    .option('--kinds <kinds>', 'kinds of products that the partner makes', kindList, [...PRODUCT_KINDS])
    .option('--wait-postbacks [seconds]', 'wait for the postbacks of the print orders', wholeSeconds)
    .option('--listen <host:port>', 'where postbacks and requests for print files arrive', '127.0.0.1:0')
    .option('--public-url <url>', 'address by which the partner reaches --listen')
    .option('--json', 'print the report as JSON')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (options: CheckPartnerOptions) => {
      const { checkPartnerCommand } = await import('./command.js');
      process.exit(await checkPartnerCommand(options));
    });
}
