import type { Answer } from '../../api/types';

export type Summary = Answer<'getOperatorSummary'>;
