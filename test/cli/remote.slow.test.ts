import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { verifyWebhook, type WebhookEvent } from '../../client/webhooks';
import { compiledProgram } from '../support/compiled-program';
import { blocks } from '../support/pages';
import { eventually, type TestStack, testStack } from '../support/stack';
import { Program } from './stack-process';

/** The commands and the MCP server that work on a running Pressline over its HTTP API. */

let stack: TestStack;
let viewerKey: string;
let environment: Record<string, string>;

beforeAll(async () => {
  stack = await testStack();
  const { client, operator } = stack.credentials;
  ({ apiKey: viewerKey } = await stack.operator.createOperator({ body: { name: 'reader', role: 'viewer' } }));
  environment = {
    PATH: process.env.PATH!,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE!,
    PRESSLINE_URL: stack.baseUrl,
    PRESSLINE_OPERATOR_KEY: operator.apiKey,
    PRESSLINE_CLIENT_KEY: `${client.apiKey}:${client.apiSecret}`,
  };
});

/** Runs a command to its end. */
async function run(command: string, variables: Record<string, string> = {}) {
  const program = Program.start(command, { ...environment, ...variables });
  return { code: await program.exit, output: program.output };
}

/** Submits an order that every partner refuses, and waits until it needs an operator. */
async function refusedOrder(reference: string): Promise<string> {
  expect((await run(`trigger order --reference ${reference} --behaviour refuses`)).code).toBe(0);
  return await eventually(async () => {
    const { orders } = await stack.operator.listOperatorOrders({
      query: { q: reference, attention: 'partner_refused' },
    });
    return orders[0]?.id;
  });
}

describe('An operator at the command line', () => {
  test('sees why an order is stuck, repairs it, and sees the repair in its timeline', async () => {
    const id = await refusedOrder('cli-1');

    const { code, output } = await run('order show cli-1');
    expect(code).toBe(0);
    expect(output).toContain(`cli-1 (${id})`);
    expect(output).toMatch(/partner_refused +a partner refused a print order/);
    expect(output).toMatch(/reroute +\d+, \d+ +.*prints-ohio/);
    expect((await run('order list --attention any')).output).toContain(id);
    expect((await run('summary')).output).toMatch(/partner_refused +1 /);

    const shown = JSON.parse((await run('order show cli-1 --json')).output);
    expect(shown).toMatchObject({ id, attention: ['partner_refused'], nextStep: { who: 'operator' } });
    const repaired = await run(`order repair cli-1 cancel --reason unprintable --item-ids ${shown.items[0].id}`);
    expect(repaired).toMatchObject({ code: 0, output: expect.stringContaining('partner_refused') });
    expect((await run('order repair cli-1 cancel --reason unprintable --json')).code).toBe(0);
    expect((await stack.operator.getOperatorOrder({ params: { orderId: id } })).fulfillmentStatus).toBe('canceled');
    const timeline = await run('order timeline cli-1 --kind repair');
    expect(timeline.output).toMatch(/repair +cancel_items +operator .*"unprintable"/);
    const story = (await run('story cli-1')).output;
    const handlers = 'src/orders/domain/lifecycle/handlers';
    for (const [sentence, file] of [
      ['Print order refused: prints-', `${handlers}/planning.ts`],
      ['Cancel items by operator. unprintable', `${handlers}/cancels.ts`],
    ])
      expect(story).toMatch(new RegExp(`\\d\\d:\\d\\d:\\d\\d +${sentence}.*\n +${file}\n`));
    const order = ['Print order refused', 'Cancel items', 'Now cancelled'].map((text) => story.indexOf(text));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test('looks at partners, pings one, and keeps routing from one', async () => {
    expect((await run('partner list')).output).toMatch(/Prints Berlin +prints-berlin +DE +yes/);
    expect((await run('partner ping prints-berlin')).output).toMatch(/ping .* 200 .* accepted/);
    expect((await run('partner show prints-berlin')).output).toMatch(/Latest requests\n.*\n.*ping .* accepted/);
    expect((await run('partner disable prints-ohio')).output).toMatch(/prints-ohio +US +no/);
    expect((await run('partner enable prints-ohio')).output).toMatch(/prints-ohio +US +yes/);
    expect((await run('outbox list')).output).toBe('none\n');
    expect((await run('outbox replay --reason checked')).output).toBe('Messages to send again: 0\n');
  });

  test.each([
    ['an order that does not exist', 'order show nothing', {}, 1, 'There is no order nothing.'],
    ['a repair that the order does not accept', 'order repair cli-1 release --reason none', {}, 1, 'repairOrder: 409'],
    [
      'units that the order does not have',
      'order repair cli-1 refund --reason none --units 1:2',
      {},
      1,
      'units[0].itemId',
    ],
    ['units in another form', 'order repair cli-1 refund --reason none --units two', {}, 2, 'units: Write the units'],
    ['a partner that does not exist', 'partner ping nobody', {}, 1, 'Partners: Prints Berlin, Prints Ohio'],
    ['a key that is not valid', 'summary', { PRESSLINE_OPERATOR_KEY: 'plk_wrong' }, 1, 'The key is not valid'],
    ['a missing option', 'order repair cli-1 cancel', {}, 2, "'--reason <reason>' not specified"],
    ['an unknown command', 'burn', {}, 2, "unknown command 'burn'"],
    ['an unknown command of a group', 'order burn', {}, 2, "unknown command 'burn'"],
    ['a group without a command', 'order', {}, 2, 'Usage: pressline order'],
    ['a number that is none', 'order list --limit ten', {}, 2, 'limit: '],
    ['an unknown repair', 'order repair cli-1 burn --reason none', {}, 2, 'action: '],
    ['no URL', 'summary', { PRESSLINE_URL: 'shop' }, 2, 'shop is not a URL'],
    ['no API', 'summary', { PRESSLINE_URL: '', DATA_DIR: '/nowhere' }, 2, 'set PRESSLINE_URL'],
    ['no key', 'summary', { PRESSLINE_OPERATOR_KEY: '' }, 2, 'set PRESSLINE_OPERATOR_KEY'],
    [
      'an API that does not respond',
      'summary',
      { PRESSLINE_URL: 'http://127.0.0.1:59999' },
      3,
      'does not respond: ECONNREFUSED',
    ],
  ])('reads %s in plain words, with an exit code', async (_, command, variables, code, words) => {
    const result = await run(command, variables);
    expect(result).toEqual({ code, output: expect.stringContaining(words) });
    expect(result.output).not.toContain('    at ');
  });

  test('may do with the key of a viewer what a viewer may', async () => {
    const asViewer = { PRESSLINE_OPERATOR_KEY: viewerKey };
    expect((await run('order show cli-1', asViewer)).code).toBe(0);
    expect(await run('order repair cli-1 hold --reason none', asViewer)).toEqual({
      code: 1,
      output: expect.stringContaining('its role is too low'),
    });
  });

  test('plays a partner of the sandbox', async () => {
    expect((await run('trigger behaviour prints-berlin no-postbacks --contains cli-3')).output).toContain('Rule');
    expect((await run('trigger behaviour prints-ohio no-postbacks --contains cli-3')).code).toBe(0);
    expect((await run('trigger order --reference cli-3')).code).toBe(0);
    const { id, partnerUid } = await eventually(async () => {
      const { orders } = await stack.operator.listOperatorOrders({ query: { q: 'cli-3' } });
      const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId: orders[0]!.id } });
      return printOrders.find(({ status }) => status === 'accepted');
    });
    expect((await run(`trigger postback ${partnerUid} ${id} received`)).output).toMatch(/response +200/);
    expect((await run(`trigger dispatch ${partnerUid} ${id}`)).output).toMatch(/response +200/);
    for (const name of ['prints-berlin', 'prints-ohio']) expect((await run(`trigger reset ${name}`)).code).toBe(0);
  });
});

describe('pressline listen', () => {
  /** A receiver that keeps what it gets. */
  async function receiver() {
    const received: { headers: Record<string, string>; body: string }[] = [];
    const server = createServer(async (request, response) => {
      received.push({ headers: request.headers as Record<string, string>, body: (await buffer(request)).toString() });
      response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
    const close = () => {
      server.close();
      server.closeAllConnections();
    };
    return { received, url, close };
  }

  const forwarded = async (
    { received }: Awaited<ReturnType<typeof receiver>>,
    listening: Program,
    reference: string,
  ): Promise<WebhookEvent[]> => {
    const secret = /whsec_\S+/.exec(listening.output)![0];
    return await eventually(async () => {
      const events = received.map(({ body, headers }) => verifyWebhook(body, headers, secret));
      const isComplete = events.some(
        (each) =>
          each.event === 'order_status_updated' && each.orderReferenceId === reference && each.status === 'canceled',
      );
      return isComplete ? events : undefined;
    });
  };

  test.each([
    ['of its own', ''],
    ['that the client has', ' --poll'],
  ])(
    'forwards notifications from an endpoint %s, with a signature that the printed secret verifies',
    async (_, option) => {
      const target = await receiver();
      const other = await receiver();
      const reference = `listen${option.length}`;
      // Two endpoints get the same notifications; each of them is forwarded once.
      if (option !== '')
        for (const path of ['a', 'b']) await stack.client.createWebhook({ body: { url: `${other.url}/${path}` } });
      const before = (await stack.client.listWebhooks()).webhooks.length;
      // `pressline listen …` of the documentation.
      const [, command] = blocks('operation/command-line', 'sh')[1]!.trim().split('pressline ');
      const options = command!.replace('http://localhost:4000/webhooks', target.url) + option;
      const listening = Program.start(options, environment);
      await listening.printed('Ready.');
      const id = await refusedOrder(reference);
      await stack.client.cancelOrder({ params: { orderId: id } });

      const events = await forwarded(target, listening, reference);
      expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['order_status_updated']));
      expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
      await listening.printed(new RegExp(`order_status_updated +${reference} +200`));
      listening.kill('SIGINT');
      expect(await listening.exit).toBe(0);
      expect((await stack.client.listWebhooks()).webhooks).toHaveLength(before);
      target.close();
      other.close();
    },
  );
});

describe('The MCP server', () => {
  async function assistant(args: readonly string[], variables: Record<string, string> = {}): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    const env = { ...environment, ...variables };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [compiledProgram(), 'mcp', ...args], env }),
    );
    return client;
  }

  const call = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    return { isError, text: (content as { text: string }[])[0]!.text };
  };

  test('offers operations that read, and explains a stuck order', async () => {
    const client = await assistant([], { PRESSLINE_OPERATOR_KEY: viewerKey });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['summary', 'order_list', 'order_show', 'order_timeline', 'story'],
      ...['outbox_list', 'partner_list', 'partner_show'],
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    const id = await refusedOrder('mcp-1');
    const { text } = await call(client, 'order_show', { order: 'mcp-1' });
    expect(JSON.parse(text)).toMatchObject({ id, attention: ['partner_refused'], nextStep: { who: 'operator' } });
    expect(await call(client, 'order_show', { order: 'nothing' })).toEqual({
      isError: true,
      text: 'There is no order nothing.',
    });
    expect(await call(client, 'order_repair', { order: id, action: 'hold', reason: 'none' })).toMatchObject({
      isError: true,
    });
    await client.close();
  });

  test('acts with the flag, within the role of the key', async () => {
    const repair = { order: 'mcp-1', action: 'cancel', reason: 'asked by the client' };
    const viewer = await assistant(['--allow-actions'], { PRESSLINE_OPERATOR_KEY: viewerKey });
    expect(await call(viewer, 'order_repair', repair)).toEqual({
      isError: true,
      text: expect.stringContaining('its role is too low'),
    });
    await viewer.close();

    const operator = await assistant(['--allow-actions']);
    const { tools } = await operator.listTools();
    expect(tools.find(({ name }) => name === 'order_repair')?.annotations?.readOnlyHint).toBe(false);
    const refund = { ...repair, action: 'refund', units: ['1:2'] };
    expect(await call(operator, 'order_repair', refund)).toEqual({
      isError: true,
      text: expect.stringContaining('units[0].itemId'),
    });
    const { text } = await call(operator, 'order_repair', repair);
    expect(JSON.parse(text)).toMatchObject({ orderReferenceId: 'mcp-1', fulfillmentStatus: 'canceled' });
    await operator.close();
  });
});
