import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** Returns the text of a page. @param name path below docs/, without `.md` */
export const page = (name: string): string => readFileSync(join(projectRoot(), `docs/${name}.md`), 'utf8');

/** Returns what stands below a heading of a page, up to the next heading of its level. */
export const section = (name: string, heading: string): string =>
  page(name).split(`## ${heading}\n`)[1]!.split('\n## ')[0]!;

/** Returns the code blocks of a text in one language. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'))].map(([, code]) => code!);

/** Returns the code blocks of a page in one language. @param name path below docs/, without `.md` */
export const blocks = (name: string, language: string): string[] => blocksOf(page(name), language);

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
