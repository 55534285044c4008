import { COMMAND_LINE, writeAuditEntry } from '../../src/accounts/audit-log';
import { restoreDay } from '../../src/orders/archive/archive-orders';
import { createObjectStore } from '../../src/platform/objects/create-object-store';
import type { CommandContext } from '../command';
import { onDatabase } from '../database-target';
import { say } from '../say';

/** Moves the archived orders of one day back into their tables (docs/operation/archive.md). @param day YYYY-MM-DD, in UTC */
export async function restoreArchive({ config, log }: CommandContext, day: string): Promise<number> {
  const objects = await createObjectStore(config);
  return await onDatabase({ config, log }, 'restore-archive', async (sql) => {
    const orders = await restoreDay({ sql, objects }, day);
    const change = { action: 'archive.restore', objectId: day, before: null, after: { orders } } as const;
    await writeAuditEntry(sql, COMMAND_LINE, change);
    say(`Restored ${orders} orders of ${day}.`);
    return 0;
  });
}
