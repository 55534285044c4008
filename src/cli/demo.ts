import type { Config } from '../platform/config';
import type { Logger } from '../platform/logging';

export async function runDemo(
  _config: Config,
  _log: Logger,
  _options: { readonly workflowBundle: { readonly codePath: string }; readonly say: (line: string) => void },
): Promise<number> {
  return 0;
}
