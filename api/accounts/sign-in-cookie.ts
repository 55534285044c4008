import { z } from 'zod';
import type { SignInSecrets } from '../../src/accounts/identity-provider';
import { type SecretBox, SecretNotOpened } from '../../src/platform/sealing/secret-box';
import { cookieAttributes, cookieName, cookieValues } from '../http/session-cookie';

/** A sign-in by OpenID Connect between its start and the response of the provider. */
export interface PendingSignIn extends SignInSecrets {
  /** Path of the console to which the operator returns. */
  readonly returnTo: string;
  readonly expiresAt: Date;
}

/** Time that a user has to sign in at the provider. */
export const PENDING_SECONDS = 600;

const NAME = 'pressline_sign_in';
/** Context of the sealed cookie. Nothing else that the secret box has sealed opens as one. */
const OWNER = 'cookie of a sign-in';

const content = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  expiresAt: z.coerce.date(),
});

/**
 * Returns the cookie that binds a sign-in to the browser that started it. It is sealed, so a browser can neither read nor make
 * one.
 */
export function signInCookie(secretBox: SecretBox, publicUrl: string) {
  const name = cookieName(NAME, publicUrl);

  function open(value: string): PendingSignIn | undefined {
    try {
      const pending = content.parse(JSON.parse(secretBox.open(value, OWNER)));
      return pending.expiresAt.getTime() > Date.now() ? pending : undefined;
    } catch (error) {
      if (error instanceof SecretNotOpened) return undefined;
      throw error;
    }
  }

  return {
    /** Returns the Set-Cookie header of a pending sign-in. Undefined deletes the cookie. */
    set(pending: PendingSignIn | undefined): string {
      const value = pending === undefined ? '' : secretBox.seal(JSON.stringify(pending), OWNER);
      // The response of the provider is a navigation from another site, with which SameSite=Strict sends no cookie.
      return `${name}=${value}; ${cookieAttributes('Lax', pending === undefined ? 0 : PENDING_SECONDS, publicUrl)}`;
    },
    /** Returns the pending sign-in of a Cookie header, or undefined when there is none or its time is over. */
    read: (header: string | undefined): PendingSignIn | undefined =>
      cookieValues(header, name)
        .map(open)
        .find((pending) => pending !== undefined),
  };
}

export type SignInCookie = ReturnType<typeof signInCookie>;
