import { z } from 'zod';
import { ATTENTION, ATTENTION_REASONS } from '../../../src/orders/domain/lifecycle/attention';

export const attentionReason = z.enum(ATTENTION_REASONS).meta({
  id: 'AttentionReason',
  description: ATTENTION_REASONS.map((reason) => `- \`${reason}\`: ${ATTENTION[reason].text}`).join('\n'),
});
