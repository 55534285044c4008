import type { Request, Response } from 'express';
import { z } from 'zod';
import type { PartnerContext } from './partner-context';
import type { StockLevel } from './partner-record';
import { parseJson, problemsOf } from './print-order';
import type { SignatureCheck } from './signature-check';

const stockQuestionSchema = z.object({ version: z.string(), SKU: z.array(z.string()).max(100) });

/** Stock of every SKU whose level the control API has not set. */
const DEFAULT_STOCK: StockLevel = { status: 'in-stock', amount: 1_000 };
const RESTOCK_DAYS = 7;

/** Handles Pressline's stock polls. */
export interface Inventory {
  handler(request: Request, response: Response): void;
  /** Number of polls since the sandbox started. */
  readonly polls: number;
}

export function createInventory({ state }: PartnerContext, signature: SignatureCheck): Inventory {
  const inventory = {
    polls: 0,
    handler(request: Request, response: Response): void {
      if (!signature.verify(request, response)) return;
      const parsed = stockQuestionSchema.safeParse(parseJson((request.body as Buffer).toString('utf8')));
      if (!parsed.success) {
        response.status(400).json({ error: problemsOf(parsed.error).join('; ') });
        return;
      }
      inventory.polls += 1;
      const restock = new Date(Date.now() + RESTOCK_DAYS * 86_400_000).toISOString().slice(0, 10);
      response.json({
        items: parsed.data.SKU.map((sku) => ({
          SKU: sku,
          replenishmentDate: restock,
          ...(state.stock.get(sku) ?? DEFAULT_STOCK),
        })),
      });
    },
  };
  return inventory;
}
