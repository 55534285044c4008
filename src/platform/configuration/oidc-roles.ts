const ROLES = ['viewer', 'operator', 'admin'] as const;

/** Roles of operators by the group of an identity provider. */
export type GroupRoles = ReadonlyMap<string, (typeof ROLES)[number]>;

const isRole = (text: string | undefined): text is (typeof ROLES)[number] =>
  (ROLES as readonly (string | undefined)[]).includes(text);

/**
 * Parses `group:role,group2:role`. The text after the last colon is the role, so that groups can contain colons.
 * @returns undefined for any other text, and when a group has two roles
 */
export function parseGroupRoles(text: string): GroupRoles | undefined {
  const roles = new Map<string, (typeof ROLES)[number]>();
  for (const entry of text.split(',')) {
    const [, group, role] = /^(.{1,200}):([a-z]{1,20})$/.exec(entry.trim()) ?? [];
    if (group === undefined || !isRole(role) || roles.has(group)) return undefined;
    roles.set(group, role);
  }
  return roles;
}
