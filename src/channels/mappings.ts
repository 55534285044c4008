import { z } from 'zod';
import { text, timestamp } from '../platform/domain/fields';
import { SIZES, shownSize } from '../platform/domain/sizes';
import { Refusal } from '../platform/errors';
import { foundById, uuidv7 } from '../platform/ids';
import { type IdPage, newestFirst } from '../platform/list-position';
import { json, type Queryable, type Transaction } from '../platform/postgres';
import { release } from './channel-orders';
import { type Channel, runChannel } from './channels';
import { keyOfSku, keyOfVariant, type MappingTarget, mappingTarget } from './domain/order-content';

const MOST_MAPPINGS = SIZES.channelMappings.most;

const external = {
  variantId: text(255).nullish().describe('Id of the variant in the channel. Either this or `sku`.'),
  sku: text(255).nullish(),
};

export const newMapping = mappingTarget
  .safeExtend(external)
  .refine(({ variantId, sku }) => (variantId == null) !== (sku == null), {
    path: ['sku'],
    message: 'Either variantId or sku is required.',
  })
  .meta({
    id: 'NewChannelMapping',
    examples: [{ sku: 'POSTER-A3', productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver' }],
  });

export const mappingSchema = z
  .object({
    id: z.string(),
    variantId: z.string().nullable(),
    sku: z.string().nullable(),
    ...mappingTarget.shape,
    createdAt: timestamp,
  })
  .meta({ id: 'ChannelMapping' });

interface Row {
  readonly id: string;
  readonly externalKey: string;
  readonly target: MappingTarget;
  readonly createdAt: Date;
}

function view({ externalKey, target, ...row }: Row): z.input<typeof mappingSchema> {
  const [kind, ...name] = externalKey.split(':');
  const named = name.join(':');
  return { ...row, variantId: kind === 'variant' ? named : null, sku: kind === 'sku' ? named : null, ...target };
}

/**
 * Stores a mapping in place of an earlier one, and makes the orders that wait for it be judged again.
 * @throws Refusal `CONFLICT` for too many mappings
 */
export async function storeMapping(
  tx: Transaction,
  channel: Channel,
  { variantId, sku, ...target }: z.output<typeof newMapping>,
) {
  await tx`SELECT FROM channels WHERE id = ${channel.id} FOR UPDATE`;
  const key = variantId == null ? keyOfSku(sku!) : keyOfVariant(variantId);
  const [stored] = await tx<Row[]>`
    INSERT INTO channel_mappings AS m (id, channel_id, external_key, target)
    SELECT ${uuidv7()}, ${channel.id}, ${key}, ${json(tx, target)}
    WHERE (SELECT count(*) FROM channel_mappings WHERE channel_id = ${channel.id} AND external_key <> ${key}) < ${MOST_MAPPINGS}
    ON CONFLICT (channel_id, external_key) DO UPDATE SET target = excluded.target
    RETURNING id, external_key, target, created_at`;
  if (stored === undefined) {
    throw new Refusal('CONFLICT', { message: `A channel has at most ${shownSize(MOST_MAPPINGS)} mappings.` });
  }
  const released = await release(tx, channel.id, [key]);
  if (released > 0) await runChannel(tx, channel);
  return { mapping: view(stored), released };
}

export async function listMappings(sql: Queryable, channelId: string, page: IdPage) {
  const rows = await sql<Row[]>`
    SELECT id, external_key, target, created_at FROM channel_mappings WHERE channel_id = ${channelId} ${newestFirst(sql, page)}`;
  return rows.map(view);
}

/** @throws Refusal `NOT_FOUND` */
export async function deleteMapping(
  tx: Queryable,
  channelId: string,
  id: string,
): Promise<z.input<typeof mappingSchema>> {
  const remove = async () => {
    const [deleted] = await tx<Row[]>`
      DELETE FROM channel_mappings WHERE id = ${id} AND channel_id = ${channelId} RETURNING id, external_key, target, created_at`;
    return deleted;
  };
  return view(await foundById(id, remove, 'There is no such mapping.'));
}

/** Returns the mappings of a channel with these keys. */
export async function mappingsOf(
  sql: Queryable,
  channelId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, MappingTarget>> {
  if (keys.length === 0) return new Map();
  const rows = await sql<Pick<Row, 'externalKey' | 'target'>[]>`
    SELECT external_key, target FROM channel_mappings WHERE channel_id = ${channelId} AND external_key = ANY(${[...new Set(keys)]}::text[])`;
  return new Map(rows.map(({ externalKey, target }) => [externalKey, target]));
}
