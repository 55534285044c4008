/** Role of an account: clients order, partners produce, operators run the engine. */
export type Role = 'client' | 'partner' | 'operator';

/**
 * Roles of operators, from the fewest permissions to the most. Each role has the permissions of the roles before it.
 * `viewer`: reads, searches and quotes. `operator`: changes orders, catalog, stock and procurement. `admin`: changes keys,
 * operators, partners, clients and exchange rates, and exports the audit log.
 */
export const OPERATOR_ROLES = ['viewer', 'operator', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The owner of API keys and of objects. Clients and partners see their own objects, operators see all. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Null for clients and partners. */
  readonly operatorRole: OperatorRole | null;
}

/** Returns true when an account is an operator with at least the permissions of a role. */
export function hasOperatorRole({ operatorRole }: Pick<Account, 'operatorRole'>, least: OperatorRole): boolean {
  return operatorRole !== null && OPERATOR_ROLES.indexOf(operatorRole) >= OPERATOR_ROLES.indexOf(least);
}
