import type { ProductKind } from '../catalog/domain/product';
import { newSigningSecret } from '../platform/http/webhook-signature';
import { json, type Queryable } from '../platform/postgres';
import { type PrintOrderVersion, printOrderVersion, submitUrlFor } from './domain/print-order-handoff';
import type { PartnerChange, PartnerSetup } from './partner-schemas';

/** What a partner says when it subscribes. */
export interface Subscription {
  readonly orderSubmitUrl: string;
  readonly apparelOrderSubmitUrl: string | null;
  readonly orderCancelUrl: string | null;
  readonly inventoryUrl: string | null;
  /** Null: the usual version of each product kind. */
  readonly printOrderVersion: PrintOrderVersion | null;
}

export interface Partner extends PartnerSetup, Omit<Subscription, 'orderSubmitUrl'> {
  /** Its account's id. */
  readonly partnerId: string;
  /** Country it ships from, ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly stateProvince: string | null;
  /** Null until it has subscribed. */
  readonly orderSubmitUrl: string | null;
  /** Every call to the partner is signed with all of them; none until it has subscribed. */
  readonly signingSecrets: readonly string[];
  readonly subscribedAt: Date | null;
  readonly createdAt: Date;
}

/**
 * How long calls carry a signature by the replaced secret as well: as long as a print order is retried, so that a
 * partner that comes back late with its old secret still knows us.
 */
const SECRET_OVERLAP_HOURS = 24;

const columns = (sql: Queryable) => sql`
  account_id AS partner_id, uid, name, country, state_province, currency, enabled, print_house_uid, sender_address,
  capabilities, order_submit_url, apparel_order_submit_url, order_cancel_url, inventory_url, print_order_version,
  array_remove(ARRAY[signing_secret, CASE WHEN previous_secret_until > now() THEN previous_signing_secret END], NULL)
    AS signing_secrets,
  subscribed_at, created_at`;

/** @returns undefined when the account is not set up as a partner */
export async function partnerByAccount(sql: Queryable, accountId: string): Promise<Partner | undefined> {
  const [partner] = await sql<
    Partner[]
  >`SELECT ${columns(sql)} FROM partners WHERE account_id = ${accountId}`;
  return partner;
}

/** All partners by uid; print partners are counted in tens. */
export async function listPartners(sql: Queryable): Promise<Partner[]> {
  return [...(await sql<Partner[]>`SELECT ${columns(sql)} FROM partners ORDER BY uid`)];
}

/**
 * Sets an account up as a partner.
 * @returns undefined when the account or the uid is a partner already
 */
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
    RETURNING ${columns(sql)}`;
  return partner;
}

/**
 * Changes what is given; each capability is replaced as a whole.
 * @returns the changed partner, undefined when there is none
 */
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
    RETURNING ${columns(sql)}`;
  return partner;
}

/**
 * Records where a partner wants to be called and makes a new signing secret (DESIGN "Subscription"). A later call
 * replaces everything; the replaced secret goes on signing beside the new one for a day.
 * @returns the new secret, undefined when the account is not set up as a partner
 */
export async function subscribe(
  sql: Queryable,
  accountId: string,
  subscription: Subscription,
): Promise<{ signingSecret: string } | undefined> {
  const signingSecret = newSigningSecret();
  const rows = await sql`
    UPDATE partners SET
      order_submit_url = ${subscription.orderSubmitUrl},
      apparel_order_submit_url = ${subscription.apparelOrderSubmitUrl},
      order_cancel_url = ${subscription.orderCancelUrl},
      inventory_url = ${subscription.inventoryUrl},
      print_order_version = ${subscription.printOrderVersion},
      previous_signing_secret = signing_secret,
      previous_secret_until = now() + make_interval(hours => ${SECRET_OVERLAP_HOURS}),
      signing_secret = ${signingSecret},
      subscribed_at = now()
    WHERE account_id = ${accountId}
    RETURNING 1`;
  return rows.length === 0 ? undefined : { signingSecret };
}

/** How a partner takes print orders of a kind; undefined while it has not subscribed. */
export function handoffOf(
  partner: Partner,
  kind: ProductKind,
): { url: string; version: PrintOrderVersion; signingSecrets: readonly string[] } | undefined {
  const url = submitUrlFor(kind, partner);
  if (url === null) return undefined;
  return {
    url,
    version: printOrderVersion(kind, partner.printOrderVersion),
    signingSecrets: partner.signingSecrets,
  };
}
