import type { Sandbox, SeenPrintOrder } from '../index';
import {
  printOrder,
  removeFolder,
  type StubPressline,
  sandboxAt,
  sendSigned,
  startStub,
  until,
} from './stub-pressline';

/** A sandbox beside a stub of Pressline. Both start before the tests of a file and stop after them. */
export interface SandboxFixture {
  readonly stub: StubPressline;
  readonly sandbox: Sandbox;
  /** Returns the addresses of the sandbox's partner in Berlin. */
  berlin(): ReturnType<Sandbox['partnerUrls']>;
  /** Returns what a partner has recorded of a print order. */
  seen(printOrderId: string, partner?: string): SeenPrintOrder | undefined;
  /** Waits until the partner in Berlin has ended a print order. */
  ended(printOrderId: string): Promise<SeenPrintOrder>;
  /** Submits a print order with a marker in the second line of its delivery address. */
  submit(id: string, marker?: string, webhookId?: string): ReturnType<typeof sendSigned>;
}

export function sandboxFixture(): SandboxFixture {
  let stub: StubPressline;
  let sandbox: Sandbox;
  let folder: string;

  beforeAll(async () => {
    stub = await startStub();
    ({ sandbox, folder } = await sandboxAt(stub));
  });
  afterAll(async () => {
    await sandbox.stop();
    await stub.stop();
    removeFolder(folder);
  });

  return {
    get stub() {
      return stub;
    },
    get sandbox() {
      return sandbox;
    },
    berlin: () => sandbox.partnerUrls('prints-berlin'),
    seen: (printOrderId, partner = 'prints-berlin') =>
      sandbox.seen().partners[partner]!.printOrders.find((entry) => entry.printOrderId === printOrderId),
    async ended(printOrderId) {
      await until(
        () => !['taken', 'not-taken', undefined].includes(this.seen(printOrderId)?.state),
        `end of ${printOrderId}`,
      );
      return this.seen(printOrderId)!;
    },
    submit(id, marker = '', webhookId = `msg_${id}`) {
      return sendSigned(stub, this.berlin().orderSubmitUrl, printOrder(sandbox, id, marker), { webhookId });
    },
  };
}
