import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNotificationDelivery } from '../../src/notifications/delivery';
import { postToPartner } from '../../src/partners/calls';
import { PARTNER_SECRETS } from '../../src/partners/partner-rows';
import { createSafeClient, type SafeClient } from '../../src/platform/http/safe-client';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import type { OutboxRow } from '../../src/platform/outbox/outbox';
import { secretOwner } from '../../src/platform/sealing/secret-box';
import { createSlotShares } from '../../src/platform/temporal/slot-shares';
import { item, order, T_SHIRT } from '../api/orders/sample-orders';
import { testSecretBox } from '../support/secret-box';
import { eventually, type TestStack, testStack } from '../support/stack';

/**
 * Server-side request forgery: every address from a client or partner. test/src/platform/http tests the notations of an
 * address and changing responses of the DNS server. These tests prove that nothing bypasses those checks.
 */

/** Addresses that are blocked on a server that strangers reach. */
const INWARD = [
  'https://127.0.0.1/x',
  'https://localhost.:443@127.0.0.1/x',
  'https://10.1.2.3/x',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::1]/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://[64:ff9b::7f00:1]/x',
  'https://2130706433/x',
  'https://0/x',
  'http://files.example/x',
  'file:///etc/passwd',
  'https://user:secret@files.example/x',
];
/** Addresses that are always blocked. */
const METADATA = [
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://2852039166/latest/',
  'http://100.100.100.200/latest/meta-data/',
];

/** A service in the private network. Every request that it receives is a failure. */
let inner: Server;
let innerUrl: string;

beforeAll(async () => {
  inner = createServer((_request, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
  });
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
  innerUrl = `http://127.0.0.1:${(inner.address() as AddressInfo).port}`;
});
afterAll(async () => {
  inner.closeAllConnections();
  await new Promise((resolve) => inner.close(resolve));
});

async function post(stack: TestStack, path: string, key: string, body: object) {
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const partnerKey = ({ credentials }: TestStack) => credentials.partners[0]!.apiKey;
const clientKey = ({ credentials: { client } }: TestStack) => `${client.apiKey}:${client.apiSecret}`;

const fileAt = (url: string) => order({ items: [item({ files: [{ type: 'default', url }] })] });
/** An order with a packing slip at the address. The host of its print file does not exist unless one is given. */
const slipAt = (fileUrl: string, printFile?: string) => ({
  ...(printFile === undefined ? order() : fileAt(printFile)),
  packagingInstructions: [
    { packageItems: [{ orderItemReferenceId: 'item-1', quantity: 1 }], packingSlip: { fileUrl } },
  ],
});

/** Returns the order after its workflow has refused it. */
async function refused(stack: TestStack, body: object) {
  const { id } = await stack.client.submitOrder({ body: body as never });
  return await eventually(async () => {
    const seen = await stack.client.getOrder({ params: { orderId: id } });
    return seen.fulfillmentStatus === 'failed' ? seen : undefined;
  });
}

describe('on a server that strangers reach (OUTBOUND_ALLOW_PRIVATE=false)', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await testStack({ mode: 'off', config: { OUTBOUND_ALLOW_PRIVATE: false } });
  });

  test.each([...INWARD, ...METADATA])('%s cannot be registered as a webhook', async (url) => {
    const created = await post(stack, '/v1/webhooks', clientKey(stack), { url });
    expect([created.status, created.body]).toMatchObject([400, { errors: [{ reference: 'url' }] }]);
    expect(await stack.services.sql`SELECT 1 FROM webhook_endpoints`).toHaveLength(0);
  });

  test.each(['orderSubmitUrl', 'apparelOrderSubmitUrl', 'orderCancelUrl', 'orderUpdateUrl', 'inventoryUrl'])(
    'a partner cannot register a private address as its %s',
    async (field) => {
      const body = { orderSubmitUrl: 'https://partner.example/', [field]: INWARD[0] };
      const { status, body: response } = await post(stack, '/v2/subscribe', partnerKey(stack), body);
      expect([status, response.error]).toEqual([400, expect.stringContaining(field)]);
      expect(await stack.services.sql`SELECT 1 FROM partners WHERE order_submit_url IS NOT NULL`).toHaveLength(0);
    },
  );

  test.each(['file:///etc/passwd', 'https://user:secret@files.example/x'])(
    '%s is refused as a file address',
    async (url) => {
      for (const [body, reference] of [
        [fileAt(url), 'items[0].files[0].url'],
        [slipAt(url), 'packagingInstructions[0].packingSlip.fileUrl'],
      ] as const) {
        const { status, body: response } = await post(stack, '/v1/orders', clientKey(stack), body);
        expect([status, response]).toMatchObject([400, { errors: [{ reference }] }]);
      }
    },
  );

  // test/workflows/order/file-hosts.test.ts has print files.
  test('an order with a packing slip at a private address is refused', async () => {
    expect(await refused(stack, slipAt(INWARD[0]!))).toMatchObject({
      financialStatus: 'canceled',
      refusalReasonCode: 'file_host_blocked',
      refusalReasonDetails: { reference: 'packagingInstructions[0].packingSlip' },
    });
  });

  describe('a host name that resolves to a private address later', () => {
    let client: SafeClient;
    let url: string;
    let connections = 0;
    beforeAll(async () => {
      client = createSafeClient({
        allowPrivate: false,
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      });
      url = `https://inward.example:${(inner.address() as AddressInfo).port}/x`;
      inner.on('connection', () => {
        connections += 1;
      });
    });
    afterAll(() => client.close());

    test('can be registered; its endpoint receives nothing, and its delivery log has the reason', async () => {
      const { sql, log } = stack.services;
      const { body: endpoint } = await post(stack, '/v1/webhooks', clientKey(stack), { url });
      const { body: sent } = await post(stack, `/v1/webhooks/${endpoint.id}/test`, clientKey(stack), {});
      const row = { payload: { deliveryId: sent.id }, attempts: 0 } as unknown as OutboxRow;
      const outcome = await createNotificationDelivery({ sql, client, secretBox: testSecretBox, log })(row);
      // `wait`: the relay of the stack has made the first attempt, and this one is early.
      expect(outcome).toMatchObject({
        outcome: expect.stringMatching(/^(retry|wait)$/),
        error: expect.stringMatching(/^inward\.example resolves to a blocked address/),
      });
      expect(connections).toBe(0);
    });

    test('receives no print order, cancel request or stock poll; the partner counts as refusing', async () => {
      const owner = secretOwner(PARTNER_SECRETS, 'partner');
      const partner = {
        partnerId: 'partner',
        uid: 'partner',
        sealedSecrets: [testSecretBox.seal(newSigningSecret(), owner)],
      };
      const call = { partner, url, delivers: true, messageId: 'msg_1', body: '{}' };
      const deps = { client, secretBox: testSecretBox, partnerCalls: createSlotShares(1) };
      expect((await postToPartner(deps, call)).response).toMatchObject({
        outcome: 'refused',
        status: null,
      });
      expect(connections).toBe(0);
    });
  });
});

describe('on a laptop (OUTBOUND_ALLOW_PRIVATE=true)', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await testStack({ mode: 'manual' });
  });

  test.each(METADATA)('%s is refused too', async (url) => {
    expect((await post(stack, '/v1/webhooks', clientKey(stack), { url })).status).toBe(400);
    expect((await post(stack, '/v2/subscribe', partnerKey(stack), { orderSubmitUrl: url })).status).toBe(400);
  });

  test('a print file or packing slip at such an address refuses the order', async () => {
    for (const body of [fileAt(METADATA[0]!), slipAt(METADATA[0]!, `${stack.sandbox.url}/files/poster-a3.pdf`)])
      expect((await refused(stack, body)).refusalReasonCode).toBe('file_host_blocked');
  });

  test('a refusal shows an address without its query, which may contain credentials', async () => {
    const files = ['front', 'back'].map((type) => ({ type, url: `${innerUrl}/art.png?token=sesame` }));
    const failed = await refused(stack, order({ items: [item({ productUid: T_SHIRT, files })] }));
    const shown = JSON.stringify([failed.refusalReason, failed.refusalReasonDetails, failed.eventLog]);
    expect(shown).not.toContain('sesame');
  });
});
