import type { Answer } from '../../api/types';

export type System = Answer<'getSystem'>;
