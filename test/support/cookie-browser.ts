/** What a browser does with cookies and redirects, over real HTTP. Cookies are shared by all ports of a host, as in browsers. */
export class CookieBrowser {
  private readonly jar = new Map<string, { value: string; path: string }>();

  constructor(private readonly headers: Readonly<Record<string, string>> = {}) {}

  /** Sends one request. `form` makes it a POST. */
  async request(address: URL | string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const url = new URL(address);
    const cookies = [...this.jar].filter(([, { path }]) => url.pathname.startsWith(path));
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { ...this.headers, Cookie: cookies.map(([name, { value }]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const header of response.headers.getSetCookie()) this.store(header);
    return response;
  }

  /** Returns the value of a cookie. */
  cookie(name: string): string | undefined {
    return this.jar.get(name)?.value;
  }

  private store(header: string): void {
    const [pair, ...attributes] = header.split(/; ?/);
    const [name, ...value] = pair!.split('=');
    const attribute = (key: string) =>
      attributes.find((one) => one.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
    const expires = attribute('expires');
    if (attribute('max-age') === '0' || (expires !== undefined && new Date(expires).getTime() < Date.now()))
      this.jar.delete(name!);
    else this.jar.set(name!, { value: value.join('='), path: attribute('path') ?? '/' });
  }
}

/** Returns the address of a redirect. */
export function locationOf(response: Response): URL {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`no redirect but ${response.status}`);
  return new URL(location, response.url);
}
