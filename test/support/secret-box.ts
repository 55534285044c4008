import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../../src/platform/sealing/named-keys';
import { createSecretBox, type SecretBox } from '../../src/platform/sealing/secret-box';

/** The `SECRET_KEYS` of a test file. */
export const TEST_SECRET_KEYS: KeyRing = [{ id: 'test', key: randomBytes(32) }];

export const testSecretBox: SecretBox = createSecretBox(TEST_SECRET_KEYS);
