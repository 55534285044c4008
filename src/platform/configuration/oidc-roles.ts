import { parseNamedList } from './named-list';

type Role = 'viewer' | 'operator' | 'admin';

/** Roles of operators by the group of an identity provider. */
export type GroupRoles = ReadonlyMap<string, Role>;

/**
 * Parses `group:role,group2:role`. The text after the last colon is the role, so that groups can contain colons.
 * @returns undefined for any other text, and when a group has two roles
 */
export function parseGroupRoles(text: string): GroupRoles | undefined {
  const entries = parseNamedList(text, /^(.{1,200}):(viewer|operator|admin)$/) as [string, Role][] | undefined;
  const roles = new Map(entries);
  return roles.size === entries?.length ? roles : undefined;
}
