import { z } from 'zod';
import type { PartnerContext } from './partner-context';
import type { StockLevel } from './partner-record';
import type { SignatureCheck } from './signature-check';
import { signedMessage } from './signed-message';

const stockQuestionSchema = z.object({ version: z.string(), SKU: z.array(z.string()).max(100) });

/** Stock of every SKU whose level the control API has not set. */
const DEFAULT_STOCK: StockLevel = { status: 'in-stock', amount: 1_000 };
const RESTOCK_DAYS = 7;

/** Returns the handler of Pressline's stock polls. `polls` is their number since the sandbox started. */
export function createInventory(context: PartnerContext, signature: SignatureCheck) {
  const inventory = {
    polls: 0,
    handler: signedMessage(context, signature, stockQuestionSchema, ({ SKU }, response) => {
      inventory.polls += 1;
      const replenishmentDate = new Date(Date.now() + RESTOCK_DAYS * 86_400_000).toISOString().slice(0, 10);
      const levelOf = (sku: string) => context.state.stock.get(sku) ?? DEFAULT_STOCK;
      response.json({ items: SKU.map((sku) => ({ SKU: sku, replenishmentDate, ...levelOf(sku) })) });
    }),
  };
  return inventory;
}
