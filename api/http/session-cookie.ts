import { isSessionToken, SESSION_SECONDS } from '../../src/accounts/sessions';

export const SESSION_COOKIE = 'pressline_session';

/** Returns the session token of a Cookie header, or undefined. */
export function sessionTokenOf(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === SESSION_COOKIE && isSessionToken(value)) return value;
  }
  return undefined;
}

/**
 * Returns the Set-Cookie header of a session. Scripts cannot read the cookie, and the browser sends it with requests of the
 * same site only.
 * @param token undefined deletes the cookie
 */
export function sessionCookie(token: string | undefined, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const lifetime = token === undefined ? 0 : SESSION_SECONDS;
  return `${SESSION_COOKIE}=${token ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${lifetime}${secure}`;
}
