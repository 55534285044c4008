import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { newSigningSecret, signatureHeaders } from '../../src/platform/http/webhook-signature';
import { blocks } from '../support/pages';

/** The signature checks of docs/partners.md, in each language. */

/** How the test runs the signature check of each language. The program prints true or false for each message on stdin. */
const PROGRAMS: Readonly<
  Record<string, { command: string; run: (folder: string, code: string) => readonly string[] }>
> = {
  js: {
    command: process.execPath,
    run(folder, code) {
      writeFileSync(
        join(folder, 'verify.mjs'),
        `${code}
for (const { secret, headers, body } of JSON.parse(await new Response(process.stdin).text()))
  console.log(verify(secret, headers, Buffer.from(body)));`,
      );
      return [process.execPath, 'verify.mjs'];
    },
  },
  python: {
    command: 'python3',
    run(folder, code) {
      writeFileSync(
        join(folder, 'verify.py'),
        `${code}
import json, sys
for message in json.load(sys.stdin):
    print(str(verify(message["secret"], message["headers"], message["body"].encode())).lower())`,
      );
      return ['python3', 'verify.py'];
    },
  },
  go: {
    command: 'go',
    run(folder, code) {
      writeFileSync(
        join(folder, 'verify.go'),
        code
          .replace('package pressline', 'package main')
          .replace('import (', 'import (\n\t"encoding/json"\n\t"fmt"\n\t"os"')
          .concat(`
func main() {
	var messages []struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&messages); err != nil {
		panic(err)
	}
	for _, message := range messages {
		header := http.Header{}
		for name, value := range message.Headers {
			header.Set(name, value)
		}
		fmt.Println(Verify(message.Secret, header, []byte(message.Body)))
	}
}`),
      );
      return ['go', 'run', 'verify.go'];
    },
  },
  java: {
    command: 'java',
    run(folder, code) {
      // Java has no JSON parser: each message is five lines.
      writeFileSync(
        join(folder, 'Main.java'),
        code.replace('import java.time', 'import java.io.*;\nimport java.time').replace(
          'final class PresslineSignature {',
          `final class PresslineSignature {
  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String secret = lines.readLine(); secret != null; secret = lines.readLine()) {
      Map<String, String> headers = new java.util.HashMap<>();
      for (String name : new String[] {"webhook-id", "webhook-timestamp", "webhook-signature"}) {
        String value = lines.readLine();
        if (!value.isEmpty()) headers.put(name, value);
      }
      System.out.println(verify(secret, headers, lines.readLine().getBytes(StandardCharsets.UTF_8)));
    }
  }
`,
        ),
      );
      return ['java', '-Dfile.encoding=UTF-8', 'Main.java'];
    },
  },
};

const isInstalled = (command: string) =>
  command.includes('/') ||
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));

describe.each(Object.entries(PROGRAMS))('The signature check in %s', (language, { command, run }) => {
  // A language that this machine does not have is skipped.
  const test = isInstalled(command) ? it : it.skip;
  const folder = mkdtempSync(join(tmpdir(), `pressline-verify-${language}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('accepts the valid message and refuses every other one', () => {
    const [program, ...args] = run(folder, blocks('partners', language)[0]!);
    const secret = newSigningSecret();
    const body = JSON.stringify({ id: '500001', city: 'Zürich' });
    const signed = (at: Date, secrets: readonly string[]) => signatureHeaders({ id: 'msg_1', body, at, secrets });
    const now = new Date();
    const cases: readonly [what: string, headers: Record<string, string>, body: string, expected: boolean][] = [
      ['valid', signed(now, [secret]), body, true],
      ['second of two signatures', signed(now, [newSigningSecret(), secret]), body, true],
      ['other secret', signed(now, [newSigningSecret()]), body, false],
      ['changed body', signed(now, [secret]), body.replace('500001', '500002'), false],
      ['changed id', { ...signed(now, [secret]), 'webhook-id': 'msg_2' }, body, false],
      ['old timestamp', signed(new Date(now.getTime() - 600_000), [secret]), body, false],
      ['future timestamp', signed(new Date(now.getTime() + 600_000), [secret]), body, false],
      ['no signature', { ...signed(now, [secret]), 'webhook-signature': 'v1,' }, body, false],
      ['unsigned', {}, body, false],
    ];
    const sent = cases.map(([, headers, content]) => ({ secret, headers, body: content }));
    const lines = sent.flatMap(({ headers, body }) => [
      secret,
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name] ?? ''),
      body,
    ]);
    const input = language === 'java' ? lines.join('\n') : JSON.stringify(sent);
    const { stdout, stderr, status } = spawnSync(program!, args, { cwd: folder, input, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    const responses = stdout.trim().split('\n');
    expect(cases.map(([what], index) => [what, responses[index]])).toEqual(
      cases.map(([what, , , expected]) => [what, String(expected)]),
    );
  });
});
