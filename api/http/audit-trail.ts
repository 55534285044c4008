import type { Request, Response } from 'express';
import type { Account } from '../../src/accounts/account';
import { type AuditedChange, actorOf, writeAuditEntry } from '../../src/accounts/audit-log';
import type { Queryable } from '../../src/platform/postgres';
import { notesOf } from './request-log';
import type { Route } from './route';

/** The audit rows of one call. */
export interface AuditTrail {
  audit(tx: Queryable, change: AuditedChange, by?: Account): Promise<void>;
  unaudited(): void;
  /**
   * Checks after the handler that the call has written the row that its route declares. A missing row is a bug: it is
   * logged.
   * @throws Error instead, with `strict`
   */
  end(strict: boolean): void;
}

export function auditTrail(route: Route, req: Request, res: Response): AuditTrail {
  const notes = notesOf(res);
  const { requestId, account } = notes;
  let rows = 0;
  let isExempt = false;
  return {
    async audit(tx, change, by) {
      if (route.audits?.includes(change.action)) rows += 1;
      else if (!route.alsoAudits?.includes(change.action)) {
        throw new Error(`${route.operationId} does not declare the action ${change.action}`);
      }
      const actor = by ?? account;
      if (actor === undefined) throw new Error(`${route.operationId} audits a change without an actor`);
      const address = req.ip?.replace(/^::ffff:(?=\d+\.)/, '') ?? null;
      await writeAuditEntry(tx, { actor: actorOf(actor), requestId, address }, change);
    },
    unaudited() {
      isExempt = true;
    },
    end(strict) {
      const expected = route.audits === undefined || isExempt ? 0 : 1;
      if (rows === expected) return;
      const message = `${route.operationId} wrote ${rows} audit rows instead of ${expected}`;
      if (strict) throw new Error(message);
      notes.log.error(message);
    },
  };
}
