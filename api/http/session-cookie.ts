import { isSessionToken, SESSION_SECONDS } from '../../src/accounts/sessions';

export const SESSION_COOKIE = 'pressline_session';

/**
 * Returns the name of a cookie. Over https it has the prefix `__Host-`, with which browsers accept it from this host alone, so
 * that a neighbour under the same domain cannot set it.
 */
export function cookieName(name: string, publicUrl: string): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name;
}

/** Returns the attributes of a cookie that scripts cannot read. */
export function cookieAttributes(sameSite: 'Strict' | 'Lax', seconds: number, publicUrl: string): string {
  return `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${isSecure(publicUrl) ? '; Secure' : ''}`;
}

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:');

/** Returns the values of a cookie in a Cookie header. A browser sends several when their paths differ. */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
  return (header?.split(';') ?? [])
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** Returns the session token of a Cookie header, or undefined. */
export function sessionTokenOf(header: string | undefined, publicUrl: string): string | undefined {
  return cookieValues(header, cookieName(SESSION_COOKIE, publicUrl)).find(isSessionToken);
}

/**
 * Returns the Set-Cookie header of a session. The browser sends it with requests of the same site only.
 * @param token undefined deletes the cookie
 */
export function sessionCookie(token: string | undefined, publicUrl: string): string {
  const lifetime = token === undefined ? 0 : SESSION_SECONDS;
  const attributes = cookieAttributes('Strict', lifetime, publicUrl);
  return `${cookieName(SESSION_COOKIE, publicUrl)}=${token ?? ''}; ${attributes}`;
}
