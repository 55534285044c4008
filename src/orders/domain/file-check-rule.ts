import type { CHECK_ACTIONS, CheckRule } from '../../accounts/clients';
import type { FileFinding, FileFindingCode } from '../../files/domain/file-findings';

type FileCheckAction = (typeof CHECK_ACTIONS)[number];

/** A print file with findings that nobody has accepted. */
export interface FileWithFindings {
  readonly itemReferenceId: string;
  readonly type: string;
  readonly checks: readonly FileFinding[];
}

/** The errors that hold the orders of a client without a rule of its own: what is printed would be another picture. */
const HELD_ERRORS: readonly FileFindingCode[] = ['page_size', 'orientation', 'resolution', 'not_rendered', 'xfa_form'];

/** Returns what a finding does to its order. @param rule the client's own; null: the default */
export function actionOf({ code, severity }: FileFinding, rule: CheckRule | null): FileCheckAction {
  if (severity === 'ok') return 'warn';
  if (rule !== null) return severity === 'error' ? rule.errors : rule.warnings;
  return severity === 'error' && HELD_ERRORS.includes(code) ? 'hold' : 'warn';
}

/** Returns the files with the findings that stop an order, and whether they refuse or hold it. Null: the order goes on. */
export function stoppingFiles(
  files: readonly FileWithFindings[],
  rule: CheckRule | null,
): { readonly action: Exclude<FileCheckAction, 'warn'>; readonly files: readonly FileWithFindings[] } | null {
  for (const action of ['refuse', 'hold'] as const) {
    const stopping = files
      .map((file) => ({ ...file, checks: file.checks.filter((finding) => actionOf(finding, rule) === action) }))
      .filter(({ checks }) => checks.length > 0);
    if (stopping.length > 0) return { action, files: stopping };
  }
  return null;
}
