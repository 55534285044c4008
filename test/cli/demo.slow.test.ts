import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MILESTONES } from '../../sandbox/demo/milestones';
import { DataFolder, Program } from './stack-process';

const programs: Program[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.kill('SIGTERM');
    await program.exit;
  }
});

/** What the log says under the id of the newest request that submitted an order. */
function stepsOfLastRequest(log: string): string[] {
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; requestId?: string });
  const { requestId } = lines.findLast(({ msg }) => msg === 'order accepted')!;
  return lines.filter((line) => line.requestId === requestId).map(({ msg }) => msg);
}

test('the demo shows every step with its time, saves label and invoice, and stops cleanly; and so again', async () => {
  const folder = await new DataFolder().withFreePorts();
  const here = await mkdtemp(join(tmpdir(), 'pressline-demo-'));
  try {
    for (const time of [1, 2]) {
      const demo = Program.start('demo', folder.environment, here);
      programs.push(demo);
      await demo.printed('Press Ctrl-C to stop.');
      for (const { title } of MILESTONES) {
        expect(demo.lines.find((line) => line.includes(title))).toMatch(/^\+ *\d+\.\d\d s {2}/);
      }
      const documents = [...demo.output.matchAll(/^Document {5}(.*)$/gm)].map(([, path]) => path!);
      const labels = documents.filter((path) => path.startsWith('out/label-'));
      expect(labels).not.toHaveLength(0);
      // Each parcel has its own paper for the customer.
      expect(documents.filter((path) => path.startsWith('out/invoice-'))).toHaveLength(labels.length);
      for (const path of documents) {
        expect((await readFile(join(here, path))).toString('latin1', 0, 5)).toBe('%PDF-');
      }
      const { baseUrl, temporalUiUrl } = folder.credentials;
      expect(demo.output).toContain(`${temporalUiUrl}/namespaces/default/workflows/order-`);
      expect((await fetch(`${baseUrl}/docs`)).status).toBe(200);
      const [, link, oneTimeToken] = /^Console {6}(\S+)#token=(\S+)$/m.exec(demo.output)!;
      expect(link).toBe(`${baseUrl}/console/sign-in`);
      const signIn = () =>
        fetch(`${baseUrl}/v1/operator/session`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ oneTimeToken }),
        });
      expect([(await signIn()).status, (await signIn()).status]).toEqual([200, 401]);
      // The log has a file of its own.
      expect(demo.output).not.toContain('"level"');
      const log = await readFile(join(folder.path, 'logs/pressline.log'), 'utf8');
      expect(log.match(/order accepted/g)).toHaveLength(time);
      expect(stepsOfLastRequest(log)).toEqual(
        expect.arrayContaining([
          'order accepted',
          'order prepared',
          'print order delivery',
          'order status',
          'labels bought',
        ]),
      );
      expect(log).not.toMatch(/Lovelace|ada@example|Spiegelgasse|555 01 23/);
      expect(log).not.toMatch(/(plk|pls|whsec)_/);

      demo.kill('SIGINT');
      expect(await demo.exit).toBe(0);
      expect(await folder.servers()).toEqual([]);
    }
  } finally {
    await rm(folder.path, { recursive: true, force: true });
    await rm(here, { recursive: true, force: true });
  }
});

test('the demo stops in order when the reader of its output ends', async () => {
  const folder = await new DataFolder().withFreePorts();
  const here = await mkdtemp(join(tmpdir(), 'pressline-demo-'));
  try {
    const demo = Program.start('demo', folder.environment, here);
    programs.push(demo);
    await demo.printed('Order submitted');
    demo.child.stdout!.destroy();
    expect(await demo.exit).toBe(0);
    expect(await folder.servers()).toEqual([]);
  } finally {
    await folder.remove();
    await rm(here, { recursive: true, force: true });
  }
});
