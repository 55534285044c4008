import { Agent } from 'node:http';
import fc from 'fast-check';
import { openApiDocument } from '../../api/http/openapi';
import type { ErrorShape, Route } from '../../api/http/route';
import { systemRoutes } from '../../api/http/system-routes';
import { allRoutes } from '../../api/routes';
import type { JsonSchema } from './json-schema-values';
import { type Operation, type RequestPlan, requestPlans, STRAY } from './requests';
import { type Answer, replayable, send, sentRequest } from './send';
import type { KnownIds, Sender, Subject } from './subject';
import { fault } from './verdict';

/** A request that was answered as none may be, made as small as it gets. */
export interface Finding {
  readonly seed: number;
  readonly operation: string;
  readonly sender: Sender;
  readonly fault: string;
  /** The request, as JSON. */
  readonly request: string;
  readonly answer: string;
}

export interface Campaign {
  readonly requests: number;
  readonly findings: readonly Finding[];
  /** Answers by operation and status. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** Requests of one seed: a finding is replayed by its slice, not by the whole campaign. */
export const SLICE = 1_000;
/** Ids of things made by requests that later ones may name. */
const MOST_IDS = 60;

/** What answers tell that later requests can name, by operation: the answer's field, and the path parameters it fits. */
const HARVEST: Readonly<
  Record<string, readonly (readonly [field: string, parameters: readonly string[]])[]>
> = {
  submitOrder: [['id', ['orderId']]],
  createWebhook: [['id', ['webhookId']]],
  testWebhook: [['id', ['deliveryId']]],
  createConnector: [
    ['id', ['connectorId']],
    ['keyId', ['keyId']],
  ],
  rotateConnectorKey: [['keyId', ['keyId']]],
  createCustomerProduct: [['id', ['customerProductId']]],
  createProductModel: [['id', ['id']]],
};

interface Document {
  readonly paths: Record<
    string,
    Record<
      string,
      Omit<Operation, 'method' | 'path' | 'senders' | 'body'> & {
        requestBody?: { content: Record<string, { schema: JsonSchema }> };
      }
    >
  >;
  readonly components: { schemas: Record<string, JsonSchema> };
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
 * Sends requests made of the OpenAPI document to the API and judges every answer. Each slice of 1,000 has a seed
 * of its own (`seed`, `seed + 1`, ...); a slice ends at its first finding, which is shrunk, and the next begins.
 * @param onProgress after each slice
 */
export async function runCampaign(
  subject: Subject,
  options: {
    readonly requests: number;
    readonly seed: number;
    /** Operations that requests go to; all when not given. */
    readonly only?: ReadonlySet<string>;
    readonly onProgress?: (done: Campaign) => void;
  },
): Promise<Campaign> {
  const routes = [...allRoutes(subject.deps), ...systemRoutes(subject.deps)];
  const document = openApiDocument(routes, subject.deps.publicUrl) as unknown as Document;
  const everyOperation = operationsOf(document, routes);
  const operations = everyOperation.filter(({ operationId }) => options.only?.has(operationId) ?? true);
  const plans = requestPlans(subject, operations, document.components.schemas);
  const shapes = new Map<string, ErrorShape>(routes.map(({ operationId, errors }) => [operationId, errors]));
  const answers = new Map<string, Map<number, number>>();
  const findings: Finding[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let requests = 0;
  /** What went over the connection before: it may be why it broke. */
  let before = '';
  const count = (operation: string, status: number) => {
    const byStatus = answers.get(operation) ?? new Map<number, number>();
    answers.set(operation, byStatus.set(status, (byStatus.get(status) ?? 0) + 1));
  };

  const judged = async (plan: RequestPlan) => {
    const sent = sentRequest(plan, subject);
    requests += 1;
    let answer: Answer;
    try {
      answer = await send(agent, subject.server.url, sent);
    } catch (error) {
      await subject.written();
      return { sent, answer: undefined, fault: `no answer: ${(error as Error).message}, after ${before}` };
    }
    const operation = answering(plan, everyOperation);
    count(operation.operationId, answer.status);
    before = `${answer.status} to ${replayable(sent).slice(0, 500)}`;
    const written = await subject.written();
    const found = fault({ ...plan, operation }, sent, answer, written, shapes, options.only === undefined);
    if (found === undefined && answer.status === 200) {
      harvest(subject, operation, plan.sender, answer);
      if (plan.method === 'DELETE') forget(subject.ids[plan.sender], sent.path);
    }
    return { sent, answer, fault: found };
  };

  try {
    for (let seed = options.seed; requests < options.requests; seed += 1) {
      let last: { plan: RequestPlan; sent: string; fault: string; answer: string } | undefined;
      const property = fc.asyncProperty(plans, async (plan) => {
        const verdict = await judged(plan);
        if (verdict.fault === undefined) return true;
        const { answer } = verdict;
        last = {
          plan,
          sent: replayable(verdict.sent),
          fault: verdict.fault,
          answer:
            answer === undefined ? '' : `${answer.status} ${answer.body.toString('utf8').slice(0, 500)}`,
        };
        return false;
      });
      const checked = await fc.check(property, {
        seed,
        numRuns: Math.min(SLICE, options.requests - requests),
        maxSkipsPerRun: 0,
      });
      // Broken off without a finding is a mistake of the campaign: it must not pass for a clean slice.
      if (checked.failed && last === undefined) {
        throw new Error(`the slice of seed ${seed} broke off`, { cause: checked.errorInstance });
      }
      if (last !== undefined) {
        findings.push({
          seed,
          operation: last.plan.operation.operationId,
          sender: last.plan.sender,
          fault: last.fault,
          request: last.sent.slice(0, 4_000),
          answer: last.answer,
        });
      }
      options.onProgress?.({ requests, findings, answers });
    }
  } finally {
    agent.destroy();
  }
  return { requests, findings, answers };
}

/** The operation that answers: by another method than its own, a request may be another operation's of that address. */
function answering({ operation, method }: RequestPlan, operations: readonly Operation[]): Operation {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  if (asked === operation.method || operation.operationId === STRAY) return operation;
  return operations.find(({ path, method: own }) => path === operation.path && own === asked) ?? operation;
}

function harvest(subject: Subject, { operationId }: Operation, sender: Sender, { body }: Answer): void {
  const fields = HARVEST[operationId];
  if (fields === undefined) return;
  const answer = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  for (const [field, parameters] of fields) {
    const id = answer[field];
    if (typeof id !== 'string') continue;
    for (const parameter of parameters) {
      subject.ids[sender][parameter] ??= [];
      const known = subject.ids[sender][parameter];
      if (known.length < MOST_IDS) known.push(id);
      // The first ones are the account's own from the start.
      else known[10 + (known.length % (MOST_IDS - 10))] = id;
    }
  }
}

/** Ids of what is deleted make way, so that later requests find something; the last of a kind stays, to be asked for in vain. */
function forget(known: KnownIds, path: string): void {
  const named = new Set(path.replace(/\?.*/, '').split('/').map(decodeURIComponent));
  for (const [parameter, ids] of Object.entries(known)) {
    const left = ids.filter((id) => !named.has(id));
    if (left.length > 0) known[parameter] = left;
  }
}

/** The campaign's answers as a table: one line an operation. */
export function answersTable({ answers }: Campaign): string {
  return [...answers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([operation, byStatus]) => {
      const counts = [...byStatus].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
      return `${operation.padEnd(32)} ${counts.join('  ')}`;
    })
    .join('\n');
}
