import * as z from 'zod/mini';
import { keyOf, text } from '../../routing/search-params';
import { AUDIT_ACTIONS } from '../../texts/audit-actions';

/** The filters of the audit log. */
export const auditSearch = z.object({
  actor: text,
  action: keyOf(AUDIT_ACTIONS),
  object: text,
  from: text,
  to: text,
});
export type AuditSearch = z.infer<typeof auditSearch>;
