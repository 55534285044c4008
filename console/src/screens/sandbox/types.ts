import type { ApiResponse } from '../../api/types';

export type Sandbox = NonNullable<ApiResponse<'getSandbox'>['sandbox']>;
export type SandboxPartnerView = Sandbox['partners'][number];
