import { Agent } from 'node:http';
import fc from 'fast-check';
import type { ErrorShape } from '../../api/http/error-body';
import { openApiDocument } from '../../api/http/openapi-document';
import type { Route } from '../../api/http/route';
import { allRoutes } from '../../api/routes';
import { systemRoutes } from '../../api/system/probes';
import { type DocumentedResponses, documentFaults } from './documented';
import type { JsonSchema } from './json-schema-values';
import { type Operation, type RequestPlan, requestPlans, STRAY } from './requests';
import { isCutOff, type ReceivedResponse, replayable, send, sentRequest } from './send';
import type { KnownIds, Sender, Subject } from './subject';
import { fault } from './verdict';

/** A request with a faulty response, shrunk to the smallest one that shows the fault. */
export interface Finding {
  readonly seed: number;
  readonly operation: string;
  readonly sender: Sender;
  readonly fault: string;
  /** The request, as JSON. */
  readonly request: string;
  readonly response: string;
}

export interface Campaign {
  readonly requests: number;
  readonly findings: readonly Finding[];
  /** Responses by operation and status. */
  readonly responses: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** Number of requests per seed. A finding is replayed by its slice, not by the whole campaign. */
export const SLICE = 1_000;
/** Number of ids of created objects that later requests may name, per parameter. */
const MAX_IDS = 60;

/** Ids in responses that later requests can name, by operation: the field of the response and the path parameters. */
const HARVEST: Readonly<Record<string, readonly (readonly [field: string, parameters: readonly string[]])[]>> = {
  submitOrder: [['id', ['orderId']]],
  createWebhook: [['id', ['webhookId']]],
  testWebhook: [['id', ['deliveryId']]],
  createClient: [
    ['id', ['connectorId']],
    ['keyId', ['keyId']],
  ],
  rotateClientKey: [['keyId', ['keyId']]],
  createCustomerProduct: [['id', ['customerProductId']]],
  createProductModel: [['id', ['id']]],
};

interface Document extends DocumentedResponses {
  readonly paths: Record<
    string,
    Record<
      string,
      Omit<Operation, 'method' | 'path' | 'senders' | 'body'> & {
        requestBody?: { content: Record<string, { schema: JsonSchema }> };
        responses: DocumentedResponses['paths'][string][string]['responses'];
      }
    >
  >;
}

function operationsOf(document: Document, routes: readonly Route[]): Operation[] {
  return routes.map(({ access, method, path, operationId }) => {
    const { parameters = [], requestBody } = document.paths[path]![method]!;
    return {
      operationId,
      method,
      path,
      parameters,
      body: requestBody?.content['application/json']?.schema,
      senders: access.credentials === 'none' ? ['nobody'] : [...access.roles],
    };
  });
}

/**
 * Sends requests from the OpenAPI document to the API and judges every response. Each slice of 1,000 has its own seed
 * (`seed`, `seed + 1`, ...). A slice ends at its first finding, which is shrunk. Then the next slice starts.
 */
export async function runCampaign(
  subject: Subject,
  options: {
    readonly requests: number;
    readonly seed: number;
    /** Operations that receive requests. Default: all. */
    readonly only?: ReadonlySet<string>;
    /** Called after each slice. */
    readonly onProgress?: (done: Campaign) => void;
  },
): Promise<Campaign> {
  // A stream has no end to judge.
  const routes = [...allRoutes(subject.deps), ...systemRoutes(subject.deps)].filter(
    ({ contentType }) => contentType !== 'text/event-stream',
  );
  const document = openApiDocument(routes, subject.deps.publicUrl) as unknown as Document;
  const everyOperation = operationsOf(document, routes);
  const operations = everyOperation.filter(({ operationId }) => options.only?.has(operationId) ?? true);
  const plans = requestPlans(subject, operations, document.components.schemas);
  const shapes = new Map<string, ErrorShape>(routes.map(({ operationId, errors }) => [operationId, errors]));
  const undocumented = documentFaults(document);
  const responses = new Map<string, Map<number, number>>();
  const findings: Finding[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let requests = 0;
  /** The previous request on the connection, which may be the reason why it broke. */
  let before = '';
  const count = (operation: string, status: number) => {
    const byStatus = responses.get(operation) ?? new Map<number, number>();
    responses.set(operation, byStatus.set(status, (byStatus.get(status) ?? 0) + 1));
  };

  const judged = async (plan: RequestPlan) => {
    const sent = sentRequest(plan, subject);
    requests += 1;
    let response: ReceivedResponse;
    try {
      response = await send(agent, subject.server.url, sent);
    } catch (error) {
      const written = await subject.written();
      if (isCutOff(sent, error) && written.length === 0) return { sent, response: undefined, fault: undefined };
      return { sent, response: undefined, fault: `no response: ${(error as Error).message}, after ${before}` };
    }
    const operation = respondingOperation(plan, everyOperation);
    count(operation.operationId, response.status);
    before = `${response.status} to ${replayable(sent).slice(0, 500)}`;
    const written = await subject.written();
    const judgedPlan = { ...plan, operation };
    const found =
      fault(judgedPlan, sent, response, written, shapes, options.only === undefined) ??
      undocumented(judgedPlan, response);
    if (found === undefined && response.status === 200) {
      harvest(subject, operation, plan.sender, response);
      if (plan.method === 'DELETE') forget(subject.ids[plan.sender], sent.path);
    }
    return { sent, response, fault: found };
  };

  try {
    for (let seed = options.seed; requests < options.requests; seed += 1) {
      let last: { plan: RequestPlan; sent: string; fault: string; response: string } | undefined;
      const property = fc.asyncProperty(plans, async (plan) => {
        const verdict = await judged(plan);
        if (verdict.fault === undefined) return true;
        const { response } = verdict;
        last = {
          plan,
          sent: replayable(verdict.sent),
          fault: verdict.fault,
          response: response === undefined ? '' : `${response.status} ${response.body.toString('utf8').slice(0, 500)}`,
        };
        return false;
      });
      const checked = await fc.check(property, {
        seed,
        numRuns: Math.min(SLICE, options.requests - requests),
        maxSkipsPerRun: 0,
      });
      // A slice that stops without a finding is a defect of the campaign. It must not count as clean.
      if (checked.failed && last === undefined) {
        throw new Error(`the slice of seed ${seed} stopped`, { cause: checked.errorInstance });
      }
      if (last !== undefined) {
        findings.push({
          seed,
          operation: last.plan.operation.operationId,
          sender: last.plan.sender,
          fault: last.fault,
          request: last.sent.slice(0, 4_000),
          response: last.response,
        });
      }
      options.onProgress?.({ requests, findings, responses });
    }
  } finally {
    agent.destroy();
  }
  return { requests, findings, responses };
}

/** Returns the operation that responds. With another method, a request belongs to another operation of the address. */
function respondingOperation({ operation, method }: RequestPlan, operations: readonly Operation[]): Operation {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  if (asked === operation.method || operation.operationId === STRAY) return operation;
  return operations.find(({ path, method: own }) => path === operation.path && own === asked) ?? operation;
}

function harvest(subject: Subject, { operationId }: Operation, sender: Sender, { body }: ReceivedResponse): void {
  const fields = HARVEST[operationId];
  if (fields === undefined) return;
  const response = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  for (const [field, parameters] of fields) {
    const id = response[field];
    if (typeof id !== 'string') continue;
    for (const parameter of parameters) {
      subject.ids[sender][parameter] ??= [];
      const known = subject.ids[sender][parameter];
      if (known.length < MAX_IDS) known.push(id);
      // The first ten are objects from the setup. They stay.
      else known[10 + (known.length % (MAX_IDS - 10))] = id;
    }
  }
}

/** Removes the ids of deleted objects. The last id of a kind stays, so that requests for a missing object occur too. */
function forget(known: KnownIds, path: string): void {
  const named = new Set(path.replace(/\?.*/, '').split('/').map(decodeURIComponent));
  for (const [parameter, ids] of Object.entries(known)) {
    const left = ids.filter((id) => !named.has(id));
    if (left.length > 0) known[parameter] = left;
  }
}

/** Returns the responses of a campaign as a table with one line per operation. */
export function responsesTable({ responses }: Campaign): string {
  return [...responses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([operation, byStatus]) => {
      const counts = [...byStatus].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
      return `${operation.padEnd(32)} ${counts.join('  ')}`;
    })
    .join('\n');
}
