import type { BehaviourName } from '../../../../sandbox/behaviours';

/**
 * What these do wrong happens only when a message is forged, changed, repeated or slow. kits/partner-kit/test/conformance.test.ts provokes it.
 */
export const NOT_PROVOKED = [
  'accepts-forged-signatures',
  'accepts-unsigned',
  'accepts-old-signatures',
  'reads-first-signature',
  'accepts-changed-content',
  'makes-duplicates',
  'refuses-duplicates',
  'impatient',
] as const satisfies BehaviourName[];
