import { isSessionToken, SESSION_SECONDS } from '../../src/accounts/sessions';

export const SESSION_COOKIE = 'pressline_session';

/** Returns the values of a cookie in a Cookie header. A browser sends several when their paths differ. */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
  return (header?.split(';') ?? [])
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** Returns the session token of a Cookie header, or undefined. */
export function sessionTokenOf(header: string | undefined): string | undefined {
  return cookieValues(header, SESSION_COOKIE).find(isSessionToken);
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
