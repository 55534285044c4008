import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { flagSilentParcels } from '../../src/orders/upkeep/silent-parcels';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import { openScreen } from '../support/browser';
import { type Click, goTo, repairDialog, repairWith, replacementDialog } from '../support/console-steps';
import { partnerServer } from '../support/other-systems/partner-server';
import { SELLER } from '../support/rows/receipts-of-month';
import { eventually, type TestStack, testStack } from '../support/stack';
import { address, faultyFile, goodFile, poster } from '../workflows/order/client-orders';
import { goodOrder, hasStatus, orderWith } from './order-fixture';

/**
 * The day of an operator: trouble of many kinds, each found, understood and repaired in the console alone. The test prints how
 * many clicks each took, from the page on which the operator happens to be. A choice in a list counts none: it has a key.
 */

const MOST_CLICKS = 6;

let stack: TestStack;
let page: Page;
let faults: readonly string[];
const clicks = new Map<string, number>();

beforeAll(async () => {
  stack = await testStack({ mode: 'auto', config: { RECEIVED_DEADLINE: 5_000, SELLER } });
  ({ page, faults } = await openScreen(stack, '/console/today'));
});

afterAll(() => {
  const counts = [...clicks.values()].sort((a, b) => a - b);
  const median = counts[Math.floor(counts.length / 2)]!;
  process.stdout.write(
    `${[...clicks].map(([trouble, count]) => `${trouble}: ${count} clicks`).join('\n')}\nmedian: ${median} clicks\n`,
  );
  expect(counts).toHaveLength(TROUBLES.length + OTHERS);
  expect(counts.at(-1)).toBeLessThanOrEqual(MOST_CLICKS);
  expect(faults).toEqual([]);
});

// A dialog that a failed test left open would hold up the tests after it.
beforeEach(async () => {
  await page.goto('/console/today');
});

/** What one operator does about one order. Counts clicks. */
class Case {
  count = 0;
  constructor(
    readonly reference: string,
    readonly orderId: string,
  ) {}

  readonly click: Click = async (target) => {
    this.count += 1;
    await target.click();
  };

  /** Opens a screen by its name in the navigation. */
  async goToScreen(name: string): Promise<void> {
    await this.click(
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: new RegExp(`^${name}`) }),
    );
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }

  /** Finds the order by its reason in the navigation. */
  async findByReason(reason: string): Promise<void> {
    await this.click(
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: new RegExp(`^${reason}`) }),
    );
    await this.click(
      page.getByRole('table', { name: 'Attention' }).getByRole('link', { name: this.reference, exact: true }),
    );
    await this.isOpen();
  }

  /** Finds the order by the beginning of the name of its recipient, without a click. */
  async findByName(): Promise<void> {
    const dialog = await goTo(page, `Ada ${this.reference}`);
    await dialog.getByRole('link', { name: `Order ${this.reference}` }).waitFor();
    await page.keyboard.press('Enter');
    await this.isOpen();
  }

  async isOpen(): Promise<void> {
    await page.getByRole('heading', { level: 1, name: `Order ${this.reference}` }).waitFor();
  }

  /** Waits until the page says what is wrong. */
  async understand(words: RegExp): Promise<void> {
    await page.getByLabel('What is wrong').getByText(words).waitFor();
  }

  /** Opens the dialog of a repair, fills it in and submits it. */
  async repair(name: string, button: string, fill: (dialog: Locator) => Promise<unknown> = async () => {}) {
    const dialog = await repairDialog(page, name, { click: this.click });
    await fill(dialog);
    await repairWith(dialog, button, 'The client agrees', this.click);
    return dialog;
  }

  /** Replaces the file of the poster with one that fits. */
  async replaceFile(): Promise<void> {
    const dialog = await replacementDialog(page, goodFile(stack, 'poster-a4.pdf'), this.click);
    await repairWith(dialog, 'Replace file', 'The client agrees', this.click);
  }

  /** Decides on a claim in its dialog, at the cost of the carrier. */
  async settle(dialog: Locator, decision: 'replace' | 'refund', partner?: string): Promise<void> {
    await dialog.getByLabel('Decision').selectOption(decision);
    await dialog.getByLabel('Who has to pay').selectOption('carrier');
    if (partner !== undefined) await dialog.getByLabel('Partner', { exact: true }).selectOption(partner);
    await repairWith(dialog, 'Settle claim', 'The carrier agrees', this.click);
    await dialog.waitFor({ state: 'detached' });
  }

  /** Reports all units as lost. Returns the dialog, which asks for the decision. */
  async reportLost(): Promise<Locator> {
    const dialog = await repairDialog(page, 'Lost, damaged or wrong', { click: this.click });
    await dialog.getByLabel('What happened').fill('The carrier cannot find it');
    await this.click(dialog.getByRole('button', { name: 'Next' }));
    return dialog;
  }

  /** Waits for what the page says came of the repair. */
  async outcome(state: 'Done' | 'Refused'): Promise<void> {
    await page.getByRole('status', { name: 'Latest change' }).getByText(state, { exact: true }).waitFor();
  }

  /** Opens the order that a reprint made, and returns its id. */
  async openReprint(dialog: Locator): Promise<string> {
    await this.click(dialog.getByRole('link', { name: /^Open the new order/ }));
    await page.waitForURL((url) => !url.pathname.endsWith(this.orderId));
    return page.url().split('/').at(-1)!;
  }
}

interface Trouble {
  readonly name: string;
  readonly marker?: string;
  readonly file?: string;
  readonly quantity?: number;
  readonly address?: Partial<typeof address>;
  readonly status: string;
  /** Happens to the order when it has the status. */
  readonly after?: (orderId: string) => Promise<unknown>;
  readonly solve: (each: Case) => Promise<void>;
}

const look = (orderId: string) => stack.operator.getOperatorOrder({ params: { orderId } });

/** Waits until an order needs no attention. */
const isSettled = ({ orderId }: Case) =>
  eventually(async () => ((await look(orderId)).attention.length === 0 ? true : undefined));

const ends = async ({ orderId }: Case, status: string, id = orderId) => {
  await hasStatus(stack, id, status);
};

const TROUBLES: readonly Trouble[] = [
  {
    name: 'refused',
    marker: 'prints-berlin/refuses',
    status: 'on_hold',
    solve: async (each) => {
      await each.findByReason('Partner refused');
      await each.understand(/prints-berlin says/);
      await each.repair('Reroute', 'Reroute order');
      await ends(each, 'delivered');
    },
  },
  {
    name: 'error',
    marker: 'prints-berlin/error-only',
    status: 'on_hold',
    solve: async (each) => {
      await each.findByReason('Partner error');
      await each.understand(/artwork cannot be opened/);
      await each.repair('Reroute', 'Reroute order');
      await ends(each, 'delivered');
    },
  },
  {
    name: 'cancelled',
    marker: 'prints-berlin/cancels-order',
    status: 'on_hold',
    solve: async (each) => {
      await each.findByReason('Partner cancelled');
      await each.repair('Reroute', 'Reroute order');
      await ends(each, 'delivered');
    },
  },
  {
    name: 'short',
    marker: 'cancels-quantity',
    quantity: 2,
    status: 'on_hold',
    solve: async (each) => {
      await each.findByReason('Partner cancelled');
      await each.repair('Refund', 'Refund units');
      await eventually(async () => {
        const { receipts } = await stack.client.getOrder({ params: { orderId: each.orderId } });
        return receipts.some(({ transactionType }) => transactionType === 'refund') ? true : undefined;
      });
    },
  },
  {
    name: 'silent',
    marker: 'prints-berlin/no-postbacks',
    status: 'passed',
    solve: async (each) => {
      await each.findByReason('Print order not confirmed');
      await each.repair('Reroute', 'Reroute order');
      await ends(each, 'delivered');
    },
  },
  {
    name: 'missing',
    file: 'missing.pdf',
    status: 'failed',
    solve: async (each) => {
      await each.findByReason('Failed');
      await each.understand(/There is no file at this URL/);
      await page.getByRole('region', { name: 'Items' }).getByText('Not stored').waitFor();
      const dialog = await each.repair('Reprint', 'Reprint order', (form) =>
        form.getByLabel('Address of the file default of poster').fill(goodFile(stack, 'poster-a4.pdf')),
      );
      await ends(each, 'delivered', await each.openReprint(dialog));
    },
  },
  {
    name: 'unreachable',
    file: 'broken.pdf',
    status: 'uploading',
    solve: async (each) => {
      await each.findByName();
      await each.understand(/the host responded with 500/);
      await each.replaceFile();
      await ends(each, 'delivered');
    },
  },
  {
    name: 'unfit',
    file: 'wrong-size.pdf',
    status: 'on_hold',
    solve: async (each) => {
      await each.findByReason('Print file does not fit');
      await each.understand(/Page 1 is 105 × 148 mm/);
      await each.replaceFile();
      await ends(each, 'delivered');
    },
  },
  {
    name: 'returned',
    marker: 'parcel-returned',
    status: 'returned',
    solve: async (each) => {
      await each.findByReason('Returned');
      const dialog = await each.repair('Reprint', 'Reprint order', async (form) => {
        await each.click(form.getByLabel('Ship to another address'));
        await form.getByLabel('Address line 1').fill('Chausseestr. 2');
        await form.getByLabel('Address line 2').fill('');
      });
      await ends(each, 'delivered', await each.openReprint(dialog));
    },
  },
  {
    name: 'damaged',
    quantity: 3,
    status: 'delivered',
    solve: async (each) => {
      await each.findByName();
      const dialog = await each.repair('Reprint', 'Reprint order', async (form) => {
        await form.getByLabel('poster').fill('1');
        await form.getByText(/^Makes 1 of 3 × .+ \(poster\), no charge\.$/).waitFor();
      });
      await ends(each, 'delivered', await each.openReprint(dialog));
    },
  },
  {
    name: 'moved',
    marker: 'prints-slowly=120000',
    status: 'in_production',
    solve: async (each) => {
      await each.findByName();
      await each.repair('Change address or method', 'Change shipping', (form) =>
        form.getByLabel('Address line 1').fill('Chausseestr. 2'),
      );
      await page.getByRole('region', { name: 'Delivery' }).getByText('Chausseestr. 2').waitFor();
    },
  },
  {
    name: 'uncancelled',
    marker: 'refuses-cancel=120000',
    status: 'in_production',
    solve: async (each) => {
      await each.findByName();
      await each.repair('Cancel', 'Cancel order');
      // The page says what came of it: the partner goes on, so that the client gets the goods.
      await each.outcome('Refused');
      await ends(each, 'delivered');
    },
  },
  {
    name: 'misaddressed',
    address: { postCode: '1011', addressLine1: 'Torstraße' },
    status: 'on_hold',
    solve: async (each) => {
      await each.findByReason('Address has findings');
      await page.getByText('No post code of Germany has this form. Correct it.').first().waitFor();
      await each.repair('Change address or method', 'Change shipping', async (form) => {
        await form.getByLabel('Address line 1').fill('Torstraße 1');
        await form.getByLabel('Postcode').fill('10119');
      });
      await ends(each, 'delivered');
    },
  },
  {
    name: 'mailed',
    file: 'broken.pdf',
    status: 'uploading',
    solve: async (each) => {
      await each.findByName();
      await each.understand(/the host responded with 500/);
      const dialog = await repairDialog(page, 'Replace the file default of poster', {
        title: 'Replace',
        click: each.click,
      });
      const response = await fetch(goodFile(stack, 'poster-a4.pdf'));
      const buffer = Buffer.from(await response.arrayBuffer());
      const chooser = page.waitForEvent('filechooser');
      await each.click(dialog.getByLabel(/^Or a file from this computer/));
      await (await chooser).setFiles({ name: 'poster.pdf', mimeType: 'application/pdf', buffer });
      await dialog.getByText('The file fits its product.').waitFor();
      await repairWith(dialog, 'Replace file', 'Sent by mail', each.click);
      await ends(each, 'delivered');
    },
  },
  {
    name: 'untold',
    marker: 'refuses-updates=120000',
    status: 'in_production',
    after: (orderId) =>
      stack.client.updateShipment({
        params: { orderId },
        body: { shippingAddress: { ...address, lastName: 'day-untold', addressLine1: 'Chausseestr. 2' } },
      }),
    solve: async (each) => {
      await each.findByReason('Partner not updated');
      await each.understand(/prints-.+ says/);
      await each.repair('Dismiss', 'Dismiss order');
      await isSettled(each);
    },
  },
  {
    name: 'gone',
    marker: 'prints-slowly=5000',
    status: 'in_production',
    after: (orderId) => stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId)).terminate('by mistake'),
    solve: async (each) => {
      // A request of the partner has found that the workflow is gone.
      await each.findByReason('Out of step');
      await each.understand(/workflow is gone/);
      await each.repair('Revive', 'Revive order');
      await ends(each, 'delivered');
    },
  },
  {
    name: 'lost',
    marker: 'ships-without-dispatch',
    status: 'shipped',
    solve: async (each) => {
      await each.findByName();
      await each.settle(await each.reportLost(), 'refund');
      await page.getByRole('region', { name: 'Claims' }).getByText('Refunded').waitFor();
      await ends(each, 'canceled');
    },
  },
  {
    name: 'quiet',
    marker: 'prints-berlin/ships-without-dispatch',
    status: 'shipped',
    after: () => {
      const { sql, log } = stack.services;
      return flagSilentParcels({ sql, log, silentAfterDays: 10 }, new Date(Date.now() + 20 * 86_400_000));
    },
    solve: async (each) => {
      await each.findByReason('Parcel without a scan');
      const { partners } = await stack.operator.listPartners();
      await each.settle(await each.reportLost(), 'replace', partners.find(({ uid }) => uid === 'prints-ohio')!.id);
      await ends(each, 'delivered');
      await isSettled(each);
    },
  },
  {
    name: 'claimed',
    quantity: 2,
    status: 'delivered',
    after: (orderId) =>
      stack.client.makeClaim({
        params: { orderId },
        body: { reason: 'damaged', items: [{ itemReferenceId: 'poster', quantity: 1 }], note: 'The tube was crushed.' },
      }),
    solve: async (each) => {
      await each.findByReason('Claim');
      const claims = page.getByRole('region', { name: 'Claims' });
      await claims.getByText('The tube was crushed.').waitFor();
      await each.click(claims.getByRole('button', { name: /^Decide on the claim/ }));
      await each.settle(page.getByRole('dialog'), 'refund');
      await claims.getByText('Refunded').waitFor();
      await isSettled(each);
    },
  },
];

test.each(TROUBLES)(
  'the order "$name" is found, understood and repaired',
  async ({ name, solve, status, ...trouble }) => {
    const { marker, file, quantity = 1, after } = trouble;
    const reference = `day-${name}`;
    const url = file === undefined ? goodFile(stack, 'poster-a4.pdf') : faultyFile(stack, file);
    const { id } = await orderWith(stack, reference, {
      address: {
        ...address,
        ...trouble.address,
        lastName: reference,
        ...(marker === undefined ? {} : { addressLine2: `sandbox:${marker}` }),
      },
      items: [poster(stack, { retailPriceInclVat: 19.9, quantity, files: [{ type: 'default', url }] })],
    });
    await hasStatus(stack, id, status);
    await after?.(id);
    const each = new Case(reference, id);
    await solve(each);
    expect(each.count).toBeGreaterThan(0);
    clicks.set(name, each.count);
  },
);

/** The tests below, of trouble that is not with an order of Pressline. */
const OTHERS = 4;

test('an order of a channel that waits for a product is found, understood and submitted', async () => {
  const { id: channelId } = await stack.client.createChannel({ body: { kind: 'csv', name: 'day' } });
  const columns = ['fullName', 'addressLine1', 'city', 'postCode', 'country', 'email', 'phone'];
  await stack.client.uploadChannelFile({
    params: { channelId },
    query: {},
    body:
      `orderReferenceId,currency,${columns.map((name) => `shippingAddress.${name}`)},items.sku,items.quantity,items.files.default\n` +
      `day-channel,EUR,Ada Byron,Torstraße 1,Berlin,10119,DE,ada@example.com,+49 30 901820,DAY-1,1,${goodFile(stack, 'poster-a3.pdf')}\n`,
  });
  const each = new Case('day-channel', '');
  await each.goToScreen('Inbox');
  const row = page.getByRole('table', { name: 'Inbox' }).getByRole('row').filter({ hasText: 'day-channel' });
  await row.getByText('Unknown product').waitFor();
  await each.click(row.getByRole('button', { name: 'Map DAY-1' }));
  const dialog = page.getByRole('dialog', { name: 'Map product' });
  await dialog.getByLabel('Search the catalog').fill('poster');
  await each.click(dialog.getByRole('radio', { name: 'Poster', exact: true }));
  await dialog.getByLabel('Paper format').selectOption('a3');
  await each.click(dialog.getByRole('button', { name: 'Map product' }));
  await dialog.getByText('1 order released').waitFor();
  const order = await eventually(() =>
    stack.client.getOrder({ params: { orderId: 'day-channel' } }).catch(() => undefined),
  );
  expect(order.items).toMatchObject([{ quantity: 1 }]);
  clicks.set('channel', each.count);
});

test('a level of stock that was counted is corrected', async () => {
  const { items } = await stack.operator.listStockItemsOfPartners({ query: { limit: 1 } });
  const { partnerId, partnerSku, quantity } = items[0]!;
  const each = new Case('stock', '');
  await each.goToScreen('Stock');
  await each.click(page.getByRole('button', { name: `Correct the level of ${partnerSku}` }).first());
  const dialog = page.getByRole('dialog', { name: 'Correct' });
  await dialog.getByLabel('Counted pieces').fill(String(quantity + 3));
  await repairWith(dialog, 'Correct level', 'Counted again', each.click);
  await dialog.getByText(`The level was ${quantity}, and is ${quantity + 3}.`).waitFor();
  const after = await stack.operator.listStockItemsOfPartners({ query: { partnerId, partnerSku } });
  expect(after.items[0]!.quantity).toBe(quantity + 3);
  clicks.set('stock', each.count);
});

test('an endpoint that its client has given up is found disabled, and is enabled when it responds again', async () => {
  const receiver = await partnerServer();
  receiver.respondWith(410, '{}');
  const { id: webhookId } = await stack.client.createWebhook({ body: { url: `${receiver.url}/hooks` } });
  const isEnabled = async () => (await stack.client.getWebhook({ params: { webhookId } })).enabled;
  await goodOrder(stack, 'day-endpoint');
  await eventually(async () => ((await isEnabled()) ? undefined : true));
  const each = new Case('endpoint', '');
  await each.goToScreen('Clients');
  await each.click(page.getByRole('main').getByRole('link', { name: 'demo-client', exact: true }));
  const row = page.getByRole('table', { name: 'Endpoints' }).getByRole('row').filter({ hasText: receiver.url });
  await row.getByText('Disabled: responded with 410').waitFor();
  // Later messages about the order would disable it again.
  receiver.respondWith(200, '{}');
  await each.click(row.getByRole('button', { name: /^Enable/ }));
  await each.click(page.getByRole('dialog', { name: 'Enable' }).getByRole('button', { name: 'Enable endpoint' }));
  await row.getByRole('button', { name: /^Disable/ }).waitFor();
  expect(await isEnabled()).toBe(true);
  clicks.set('endpoint', each.count);
});

test('a bookkeeper gets last month’s VAT by country, which agrees with the receipts to the cent', async () => {
  await stack.database
    .owner`UPDATE receipt_lines SET created_at = date_trunc('month', now(), 'UTC') - interval '1 hour'`;
  const each = new Case('books', '');
  await each.goToScreen('Receipts');
  /** Returns the sums of net, tax and gross by country of a file, in cents. */
  const sumsOf = async (section: string) => {
    const button = page.getByRole('region', { name: section }).getByRole('button', { name: 'Export CSV' });
    const download = page.waitForEvent('download');
    await each.click(button);
    const file = await readFile(await (await download).path(), 'utf8');
    const [names, ...rows] = file
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    const at = (row: readonly string[], name: string) => row[names!.indexOf(name)]!;
    const sums: Record<string, number> = {};
    for (const row of rows) {
      for (const name of ['net', 'tax', 'gross']) {
        const key = `${at(row, 'country')} ${name}`;
        sums[key] = (sums[key] ?? 0) + Math.round(Number(at(row, name)) * 100);
      }
    }
    return sums;
  };
  const sums = await sumsOf('VAT by country and rate');
  expect(sums['DE tax']).toBeGreaterThan(0);
  expect(await sumsOf('Lines of receipts')).toEqual(sums);
  expect(each.count).toBeLessThanOrEqual(3);
  clicks.set('VAT by country', each.count);
});
