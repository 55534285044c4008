/** Role of an account: clients order, partners produce, operators run the engine. */
export type Role = 'client' | 'partner' | 'operator';

/** The owner of API keys and of objects. Clients and partners see their own objects, operators see all. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}
