import postgres from 'postgres';
import type { ProductKind } from '../catalog/domain/product';
import { newSigningSecret } from '../platform/http/webhook-signature';
import { type Fragment, json, type Queryable } from '../platform/postgres';
import type { SecretBox } from '../platform/sealing/secret-box';
import { type SealedTable, secretOwner } from '../platform/sealing/secret-box';
import { type PrintOrderVersion, printOrderVersion, submitUrlFor } from './domain/partner-protocol';
import type { PartnerChange, PartnerSetup, Subscription } from './partner-schemas';

export interface Partner extends PartnerSetup, Omit<Subscription, 'orderSubmitUrl'> {
  readonly partnerId: string;
  /** Country that it ships from, ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly stateProvince: string | null;
  readonly orderSubmitUrl: string | null;
  /** Sealed. `signingSecretsOf` opens them. Empty until the partner has subscribed. */
  readonly sealedSecrets: readonly string[];
  readonly subscribedAt: Date | null;
  readonly createdAt: Date;
}

/**
 * Time for which calls are also signed with the replaced secret. It equals the retry window of print orders: a partner
 * that recovers late and still holds the old secret can verify the call.
 */
const SECRET_OVERLAP_HOURS = 24;

export const PARTNER_SECRETS: SealedTable = {
  table: 'partners',
  key: 'account_id',
  columns: ['signing_secret', 'previous_signing_secret'],
};

export const partnerColumns = (sql: Queryable) => sql`
  account_id AS partner_id, uid, name, country, state_province, currency, enabled, print_house_uid, sender_address,
  capabilities, order_submit_url, apparel_order_submit_url, order_cancel_url, order_update_url, inventory_url, print_order_version,
  document_types,
  array_remove(ARRAY[signing_secret, CASE WHEN previous_secret_until > now() THEN previous_signing_secret END], NULL)
    AS sealed_secrets,
  subscribed_at, created_at`;

/** Returns the expression of a partner as JSON, for statements that read more. `partnerOf` makes a partner from it. */
export const partnerAsJson = (sql: Queryable, accountId: Fragment) => sql`
  (SELECT to_jsonb(c) FROM (SELECT ${partnerColumns(sql)} FROM partners WHERE account_id = ${accountId}) c)`;

export function partnerOf(row: Readonly<Record<string, unknown>>): Partner {
  const partner = Object.fromEntries(Object.entries(row).map(([name, value]) => [postgres.toCamel(name), value]));
  const time = (value: unknown) => (value === null ? null : new Date(String(value)));
  const { createdAt, subscribedAt } = partner;
  return { ...partner, createdAt: time(createdAt), subscribedAt: time(subscribedAt) } as unknown as Partner;
}

export async function partnerByAccount(sql: Queryable, accountId: string): Promise<Partner | undefined> {
  const [partner] = await sql<Partner[]>`SELECT ${partnerColumns(sql)} FROM partners WHERE account_id = ${accountId}`;
  return partner;
}

/** Returns all partners ordered by uid. The list is not paged: there are tens of print partners. */
export async function listPartners(sql: Queryable): Promise<Partner[]> {
  return [...(await sql<Partner[]>`SELECT ${partnerColumns(sql)} FROM partners ORDER BY uid`)];
}

/** Sets an account up as a partner. Returns undefined when it is one already, or the uid is in use. */
export async function createPartner(
  sql: Queryable,
  accountId: string,
  setup: PartnerSetup,
): Promise<Partner | undefined> {
  const { senderAddress } = setup;
  const [partner] = await sql<Partner[]>`
    INSERT INTO partners (account_id, uid, name, country, state_province, currency, enabled, print_house_uid,
                          sender_address, capabilities)
    VALUES (${accountId}, ${setup.uid}, ${setup.name}, ${senderAddress.country}, ${senderAddress.state ?? null},
            ${setup.currency}, ${setup.enabled}, ${setup.printHouseUid}, ${json(sql, senderAddress)},
            ${json(sql, setup.capabilities)})
    ON CONFLICT DO NOTHING
    RETURNING ${partnerColumns(sql)}`;
  return partner;
}

/** Updates the given fields. Each given capability replaces the stored one as a whole. */
export async function changePartner(
  sql: Queryable,
  partnerId: string,
  change: PartnerChange,
): Promise<Partner | undefined> {
  const { name, enabled, printHouseUid, senderAddress, capabilities } = change;
  const [partner] = await sql<Partner[]>`
    UPDATE partners SET
      name = coalesce(${name ?? null}, name),
      enabled = coalesce(${enabled ?? null}, enabled),
      print_house_uid = CASE WHEN ${printHouseUid === undefined} THEN print_house_uid ELSE ${printHouseUid ?? null} END,
      sender_address = coalesce(${senderAddress === undefined ? null : json(sql, senderAddress)}, sender_address),
      country = coalesce(${senderAddress?.country ?? null}, country),
      state_province = CASE WHEN ${senderAddress === undefined} THEN state_province
                            ELSE ${senderAddress?.state ?? null} END,
      capabilities = capabilities || ${json(sql, capabilities ?? {})}
    WHERE account_id = ${partnerId}
    RETURNING ${partnerColumns(sql)}`;
  return partner;
}

/**
 * Stores a partner's addresses and creates a signing secret. A later call replaces all addresses and the secret; for
 * `SECRET_OVERLAP_HOURS` calls are signed with the replaced secret as well.
 * @returns the new secret, or undefined when the account is not set up as a partner
 */
export async function subscribe(
  { sql, secretBox }: { readonly sql: Queryable; readonly secretBox: SecretBox },
  accountId: string,
  subscription: Subscription,
): Promise<{ signingSecret: string } | undefined> {
  const signingSecret = newSigningSecret();
  const rows = await sql`
    UPDATE partners SET
      order_submit_url = ${subscription.orderSubmitUrl},
      apparel_order_submit_url = ${subscription.apparelOrderSubmitUrl},
      order_cancel_url = ${subscription.orderCancelUrl},
      order_update_url = ${subscription.orderUpdateUrl},
      inventory_url = ${subscription.inventoryUrl},
      print_order_version = ${subscription.printOrderVersion},
      document_types = ${subscription.documentTypes ?? null},
      previous_signing_secret = signing_secret,
      previous_secret_until = now() + make_interval(hours => ${SECRET_OVERLAP_HOURS}),
      signing_secret = ${secretBox.seal(signingSecret, secretOwner(PARTNER_SECRETS, accountId))},
      subscribed_at = now()
    WHERE account_id = ${accountId}
    RETURNING 1`;
  return rows.length === 0 ? undefined : { signingSecret };
}

/** Returns the secrets that sign calls to a partner: every call carries one signature for each. */
export function signingSecretsOf(
  secretBox: SecretBox,
  { partnerId, sealedSecrets }: Pick<Partner, 'partnerId' | 'sealedSecrets'>,
): string[] {
  return sealedSecrets.map((sealed) => secretBox.open(sealed, secretOwner(PARTNER_SECRETS, partnerId)));
}

/** Returns where and in which version a partner accepts print orders of a kind; undefined before it has subscribed. */
export function deliveryTargetOf(
  partner: Partner,
  kind: ProductKind,
): { url: string; version: PrintOrderVersion } | undefined {
  const url = submitUrlFor(kind, partner);
  if (url === null) return undefined;
  return { url, version: printOrderVersion(kind, partner.printOrderVersion) };
}
