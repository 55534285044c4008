/** What an account may do: order (client), produce (partner), or run the engine (operator). */
export type Role = 'client' | 'partner' | 'operator';

/** The owner of a key: every object that a caller can see belongs to one, operators see all. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}
