import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import { type Channel, type ChannelViewer, requireChannel } from '../../src/channels/channels';
import type { Queryable } from '../../src/platform/postgres';
import { idCursorField, limitField } from '../http/list-query';

const roles = { credentials: 'key:secret', roles: ['client', 'operator'] } as const;
/** Clients use their own channels, and operators those of all clients. */
export const READ = { tag: 'Channels', access: { ...roles, operatorRole: 'viewer' } } as const;
export const WRITE = { tag: 'Channels', access: { ...roles, operatorRole: 'operator' } } as const;

export const channelPath = z.object({ channelId: z.string().max(100) });
export const pageQuery = z.object({ limit: limitField, cursor: idCursorField.optional() });
export const nextCursor = z.string().nullable().describe('Cursor of the next page; null on the last page.');

export const channelViewer = ({ role, id }: Account): ChannelViewer => ({ clientId: role === 'operator' ? null : id });

/** @throws Refusal `NOT_FOUND` when there is no such channel that the account may see */
export const visibleChannel = (sql: Queryable, account: Account, id: string): Promise<Channel> =>
  requireChannel(sql, id, channelViewer(account));
