import type { Answer } from '../../api/types';

export type Sandbox = NonNullable<Answer<'getSandbox'>['sandbox']>;
export type SandboxPartnerView = Sandbox['partners'][number];
