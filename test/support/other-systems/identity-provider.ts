import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A user of the test's identity provider. The groups can change between two sign-ins. */
export interface TestUser {
  readonly username?: string;
  groups?: readonly string[];
}

export interface TestIdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By login name, which is the user's `sub`. */
  readonly users: Map<string, TestUser>;
  stop(): Promise<void>;
}

/**
 * Starts an OpenID Connect provider (oidc-provider) on a free port. Its sign-in form takes any password, and asks for consent.
 * @param inIdToken claims are in the ID token instead of the userinfo endpoint
 * @param port 0 takes a free one
 */
export async function startIdentityProvider(
  redirectUri: string,
  { inIdToken = false, port = 0 }: { readonly inIdToken?: boolean; readonly port?: number } = {},
): Promise<TestIdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const users = new Map<string, TestUser>();
  const [clientId, clientSecret] = ['pressline', 'secret-of-pressline-at-its-provider'];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  // It warns of its adapter in memory and of its built-in forms, and notes the defaults that it uses.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    conformIdTokenClaims: !inIdToken,
    cookies: { keys: ['key of the test'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' } as never] },
    findAccount: (_context, id) => {
      const { username, groups } = users.get(id) ?? {};
      const claims = {
        sub: id,
        ...(username === undefined ? {} : { preferred_username: username }),
        ...(groups === undefined ? {} : { groups: [...groups] }),
      };
      return { accountId: id, claims: () => claims };
    },
  });
  server.on('request', provider.callback());
  return {
    issuer,
    clientId,
    clientSecret,
    users,
    async stop() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
}
