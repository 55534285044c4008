import { type Command, Option } from 'commander';
import { z } from 'zod';
import { say } from '../terminal';
import { type Connection, type ConnectionOptions, connect, inWords, RemoteFailure, WrongUse } from './connection';
import { LISTEN_OPTIONS, type ListenOptions, listen } from './listen';
import type { Operation } from './operation';
import { OPERATIONS } from './operations';

const EXIT = { done: 0, refused: 1, wrongUse: 2, unavailable: 3 } as const;

/** The part of a JSON Schema that commands are made of. */
interface Property {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
}

const flag = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the words of the command line as the type that a schema asks for. The schema checks the value. */
function typed(text: unknown, { type }: Property): unknown {
  if (typeof text !== 'string') return text;
  if (type === 'array') return text.split(',');
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

function addConnectionOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'base URL of the API').env('PRESSLINE_URL'))
    .addOption(new Option('--key <key>', 'key of an operator').env('PRESSLINE_OPERATOR_KEY'))
    .addOption(new Option('--client-key <key:secret>', 'key and secret of a client').env('PRESSLINE_CLIENT_KEY'));
}

/** Connects and acts. Ends the process with an exit code, and with an error in plain words. */
async function withConnection(
  options: ConnectionOptions,
  act: (connection: Connection) => Promise<void>,
): Promise<never> {
  let baseUrl = '';
  try {
    const connection = await connect(options);
    ({ baseUrl } = connection);
    await act(connection);
    process.exit(EXIT.done);
  } catch (thrown) {
    const error = inWords(thrown, baseUrl);
    const isExpected = error instanceof RemoteFailure || error instanceof WrongUse;
    process.stderr.write(`${isExpected ? error.message : ((error as Error).stack ?? error)}\n`);
    if (error instanceof WrongUse) process.exit(EXIT.wrongUse);
    process.exit(error instanceof RemoteFailure && error.kind === 'unavailable' ? EXIT.unavailable : EXIT.refused);
  }
}

/** @throws WrongUse when a value is not as the operation requires */
function inputOf({ input }: Operation, values: Record<string, unknown>): never {
  const parsed = input.safeParse(values);
  if (parsed.success) return parsed.data as never;
  throw new WrongUse(parsed.error.issues.map(({ path, message }) => `${flag(String(path[0]))}: ${message}`).join('\n'));
}

function addOperation(parent: Command, name: string, operation: Operation): void {
  const { properties = {}, required = [] } = z.toJSONSchema(operation.input) as {
    properties?: Record<string, Property>;
    required?: readonly string[];
  };
  const command = parent.command(name).description(operation.description);
  for (const field of operation.positional) command.argument(`<${flag(field)}>`, properties[field]!.description);
  for (const [field, property] of Object.entries(properties)) {
    if (operation.positional.includes(field)) continue;
    const value =
      property.type === 'boolean' ? '' : ` <${property.type === 'array' ? `${flag(field)},…` : flag(field)}>`;
    const option = new Option(`--${flag(field)}${value}`, property.description);
    if (property.enum !== undefined) option.choices(property.enum);
    if (property.default !== undefined) option.default(String(property.default));
    option.makeOptionMandatory(required.includes(field) && property.default === undefined);
    command.addOption(option);
  }
  addConnectionOptions(command).option('--json', 'print the response as JSON');
  command.action(async (...given: unknown[]) => {
    const options = command.opts();
    const values = Object.fromEntries(
      Object.entries(properties).map(([field, property]) => {
        const position = operation.positional.indexOf(field);
        return [field, typed(position < 0 ? options[field] : given[position], property)];
      }),
    );
    await withConnection(options, async (connection) => {
      const result = await operation.run(connection, inputOf(operation, values));
      say(options.json ? JSON.stringify(result, null, 2) : operation.text(result as never));
    });
  });
}

const GROUPS = {
  order: 'find, explain and repair orders',
  outbox: 'list messages that were not delivered, and send them again',
  partner: 'look at print partners',
  trigger: 'make the sandbox do something',
};

/** Adds the commands that work on a running Pressline over its HTTP API. */
export function addRemoteCommands(program: Command): void {
  // Groups and commands inherit this. The program itself refuses unknown commands.
  program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.wrongUse));
  const groups = new Map(
    Object.entries(GROUPS).map(([name, description]) => [name, program.command(name).description(description)]),
  );
  for (const operation of OPERATIONS) {
    const [first, second] = operation.command.split(' ');
    if (second === undefined) addOperation(program, first!, operation);
    else addOperation(groups.get(first!)!, second, operation);
  }
  const listening = addConnectionOptions(program.command('listen'))
    .description('forward the notifications of a client to a program on this machine')
    .requiredOption('--forward-to <url>', LISTEN_OPTIONS.forwardTo)
    .option('--events <event,…>', LISTEN_OPTIONS.events)
    .option('--poll', LISTEN_OPTIONS.poll);
  listening.action(async (options: ListenOptions & ConnectionOptions) =>
    withConnection(options, async (connection) => await listen(connection, options, say)),
  );
  addConnectionOptions(program.command('mcp'))
    .description('serve these operations to an assistant, by the Model Context Protocol on stdin and stdout')
    .option('--allow-actions', 'also offer the operations that change something')
    .action(async (options: ConnectionOptions & { readonly allowActions?: true }) =>
      withConnection(options, async (connection) => {
        const { serveMcp } = await import('./mcp.js');
        await serveMcp(connection, options.allowActions === true);
      }),
    );
}
