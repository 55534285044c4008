import { context, type Span, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { groupCommit } from '../../../../src/platform/group-commit';
import { activeSpan, contextOf, currentTraceparent, inSpan, setTracer } from '../../../../src/platform/tracing/spans';

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  setTracer(provider.getTracer('test'));
});

afterAll(() => {
  setTracer(undefined);
  context.disable();
});

beforeEach(() => exporter.reset());

const finished = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);

/** Submits a row within a span of its own trace, as a request does. */
const request = (name: string, submit: (row: string) => Promise<string | undefined>) =>
  inSpan(name, {}, () => submit(name), contextOf(null));

test('a row that is written alone is written in the trace of its request', async () => {
  const submit = groupCommit((rows: readonly string[]) => Promise.resolve(rows.map(() => currentTraceparent())), 10);
  const traceparent = await request('only', (row) => submit(row).then((given) => given ?? undefined));
  expect(traceparent).toContain(finished('only')[0]!.spanContext().spanId);
  expect(finished('group commit')).toEqual([]);
});

test('rows that are written together are linked with the span of their statement, both ways', async () => {
  const blocked = Promise.withResolvers<void>();
  const spans: (Span | undefined)[] = [];
  const submit = groupCommit(async (rows: readonly string[]) => {
    if (rows[0] === 'first') await blocked.promise;
    spans.push(activeSpan());
    return rows.map(() => '');
  }, 10);
  const first = request('first', submit);
  await new Promise((resolve) => setImmediate(resolve));
  const others = [request('second', submit), request('third', submit)];
  await new Promise((resolve) => setImmediate(resolve));
  blocked.resolve();
  await Promise.all([first, ...others]);

  const [second] = finished('second');
  const [third] = finished('third');
  const [shared] = finished('group commit');
  expect(shared!.parentSpanContext?.spanId).toBe(second!.spanContext().spanId);
  expect(shared!.links.map(({ context: { spanId } }) => spanId)).toEqual([third!.spanContext().spanId]);
  expect(third!.links.map(({ context: { spanId } }) => spanId)).toEqual([shared!.spanContext().spanId]);
  expect(spans[1]?.spanContext().spanId).toBe(shared!.spanContext().spanId);
});

test('a failed span has the class of its error, not its message', async () => {
  const failing = inSpan(
    'failing',
    {},
    () => Promise.reject(new TypeError('Jane Doe, 1 Main Street')),
    contextOf(null),
  );
  await expect(failing).rejects.toThrow(TypeError);
  const [span] = finished('failing');
  expect(span!.attributes).toEqual({ 'error.type': 'TypeError' });
  expect(span!.status).toEqual({ code: 2 });
  expect(span!.events).toEqual([]);
  expect(trace.getActiveSpan()).toBeUndefined();
});
