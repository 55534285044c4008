import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../src/platform/project-root';

let api: Server;
let devServer: ChildProcess;
let consoleUrl: string;

beforeAll(async () => {
  api = createServer((req, res) => res.end(`api ${req.method} ${req.url}`));
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  const configFile = `${projectRoot()}/console/vite.config.mts`;
  const program = `
    import(${JSON.stringify(pathToFileURL(require.resolve('vite')).href)}).then(async ({ createServer }) => {
      const server = await createServer({
        configFile: ${JSON.stringify(configFile)},
        server: { port: 0 },
        optimizeDeps: { noDiscovery: true, include: [] },
        logLevel: 'silent',
      });
      await server.listen();
      console.log(server.resolvedUrls.local[0]);
    });`;
  devServer = spawn(process.execPath, ['-e', program], {
    env: { ...process.env, PRESSLINE_URL: `http://127.0.0.1:${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: devServer.stdout! });
  consoleUrl = await new Promise((resolve) => lines.once('line', resolve));
});

afterAll(() => {
  devServer.kill('SIGKILL');
  api.close();
});

test('the development server of the console has hot reload, and passes calls to the API', async () => {
  expect(new URL(consoleUrl).hostname).toBe('127.0.0.1');
  const page = await (await fetch(consoleUrl, { headers: { Accept: 'text/html' } })).text();
  expect(page).toContain('/console/@vite/client');
  const call = await fetch(new URL('/v1/operator/summary?x=1', consoleUrl));
  expect(await call.text()).toBe('api GET /v1/operator/summary?x=1');
});

test('a call gets status 502 while the API restarts, so that the console reconnects', async () => {
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
  expect((await fetch(new URL('/v1/operator/summary', consoleUrl))).status).toBe(502);
});
