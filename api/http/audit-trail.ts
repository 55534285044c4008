import type { Request, Response } from 'express';
import type { Account } from '../../src/accounts/account';
import {
  actorOf,
  dropIntent,
  storeIntent,
  UNKNOWN,
  writeAuditEntry,
  writeUnknownOutcome,
} from '../../src/accounts/audit-log';
import { Refusal } from '../../src/platform/errors';
import type { Sql } from '../../src/platform/postgres';
import { callerAddress } from './caller-address';
import { notesOf } from './request-log';
import type { CallContext, Route } from './route';

/** The audit rows of one call. */
export interface AuditTrail extends Pick<CallContext, 'audit' | 'intend' | 'unaudited'> {
  /**
   * Checks after the handler that the call has written the row that its route declares. A missing row is a bug: it is
   * logged.
   * @throws Error instead, with `strict`
   */
  end(strict: boolean): void;
  /** Ends the intent of a call that has failed. After a refusal, nothing has changed. */
  failed(error: unknown): Promise<void>;
}

export function auditTrail(sql: Sql, route: Route, req: Request, res: Response): AuditTrail {
  const notes = notesOf(res);
  const { requestId, account, keyId = null } = notes;
  const address = callerAddress(req) ?? null;
  let rows = 0;
  let isExempt = false;
  let intentId: string | undefined;
  const contextOf = (actor: Account | 'unknown' | undefined) => {
    if (actor === undefined) throw new Error(`${route.operationId} audits a change without an actor`);
    return { actor: actor === 'unknown' ? UNKNOWN : actorOf(actor), requestId, keyId, address };
  };
  return {
    async audit(tx, change, by) {
      if (route.audits?.includes(change.action)) rows += 1;
      else if (!route.alsoAudits?.includes(change.action)) {
        throw new Error(`${route.operationId} does not declare the action ${change.action}`);
      }
      await writeAuditEntry(tx, contextOf(by ?? account), change);
      if (intentId !== undefined) await dropIntent(tx, intentId);
    },
    async intend(intent) {
      intentId = await storeIntent(sql, contextOf(account), intent);
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
    async failed(error) {
      if (intentId === undefined) return;
      const wasRefused = error instanceof Refusal && error.status < 500;
      await (wasRefused ? dropIntent(sql, intentId) : writeUnknownOutcome(sql, intentId)).catch((cause: unknown) => {
        notes.log.warn({ err: cause }, 'the intent of a failed request stays until the next maintenance');
      });
    },
  };
}
