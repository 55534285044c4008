import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** Returns the code blocks of a page in one language. @param page path below docs/, without `.md` */
export const blocks = (page: string, language: string): string[] =>
  [
    ...readFileSync(join(projectRoot(), `docs/${page}.md`), 'utf8').matchAll(
      new RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'),
    ),
  ].map(([, code]) => code!);

/** Runs commands. @param timeout in milliseconds */
export function bash(
  script: string,
  timeout = 60_000,
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-c', script], { timeout });
    let [stdout, stderr] = ['', ''];
    shell.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    shell.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    shell.on('error', reject);
    shell.on('close', (code) => resolve({ stdout, stderr, code }));
  });
}
