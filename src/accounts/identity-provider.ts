import * as oidc from 'openid-client';
import { allowsPrivateAddresses, type Config } from '../platform/config';
import { cutText } from '../platform/domain/foreign-text';
import { Refusal } from '../platform/errors';
import type { Logger } from '../platform/logging/logging';
import { isUnavailable, unavailable } from '../platform/unavailable';

/** The secrets of one sign-in, between its start and the response of the provider. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly codeVerifier: string;
}

/** A user as the provider knows it. `issuer` and `subject` together identify it for good. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** For people. It can change, and it is not unique. */
  readonly name: string;
  readonly groups: readonly string[];
}

/** The OpenID Connect provider of the configuration. */
export interface IdentityProvider {
  /**
   * Returns the address at the provider to which a browser goes to sign in.
   * @throws Refusal `UNAVAILABLE` when the provider does not respond
   */
  authorizationUrl(secrets: SignInSecrets): Promise<URL>;
  /**
   * Exchanges the code of the provider's response for the user. Verifies state, code, signature, issuer, audience and nonce.
   * @param response parameters of the address to which the provider sent the browser
   * @throws Refusal `UNAUTHORIZED` for a response that is an error or does not pass; `UNAVAILABLE`
   */
  identify(response: URLSearchParams, secrets: SignInSecrets, log: Logger): Promise<Identity>;
}

/** Timeout of each request to the provider. */
const TIMEOUT_SECONDS = 5;
/** Lifetime of the provider's metadata. Its signing keys have a cache of their own, which a key with a new id renews. */
const METADATA_MS = 3_600_000;
/** Claims that name a user, the first that the provider sends. */
const NAME_CLAIMS = ['preferred_username', 'name', 'email'] as const;
const MAX_NAME_LENGTH = 80;
/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** Creates the secrets of a sign-in, each with 256 random bits. */
export function newSignInSecrets(): SignInSecrets {
  return {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    codeVerifier: oidc.randomPKCECodeVerifier(),
  };
}

/**
 * Creates the client of the provider (authorization code flow with PKCE, state and nonce).
 * @param redirectUri where the provider sends the browser back; it must be registered there
 * @returns undefined when the configuration names no provider
 */
export function createIdentityProvider(config: Config, redirectUri: string): IdentityProvider | undefined {
  const { OIDC_ISSUER: issuer, OIDC_GROUPS_CLAIM: groupsClaim } = config;
  if (issuer === undefined) return undefined;
  let known: { readonly client: Promise<oidc.Configuration>; readonly until: number } | undefined;

  async function client(): Promise<oidc.Configuration> {
    if (known === undefined || known.until < Date.now()) {
      known = { client: discover(config, issuer!), until: Date.now() + METADATA_MS };
    }
    const { client: requested } = known;
    return await requested.catch((error: unknown) => {
      // The next sign-in reads the metadata again.
      if (known?.client === requested) known = undefined;
      throw error;
    });
  }

  return {
    async authorizationUrl({ state, nonce, codeVerifier }) {
      const found = await client().catch((error: unknown) => {
        throw noResponse(error);
      });
      return oidc.buildAuthorizationUrl(found, {
        redirect_uri: redirectUri,
        scope: config.OIDC_SCOPES,
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },
    async identify(response, { state, nonce, codeVerifier }, log) {
      try {
        const found = await client();
        const tokens = await oidc.authorizationCodeGrant(found, new URL(`${redirectUri}?${response}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
        });
        const { iss, sub, ...idClaims } = tokens.claims()!;
        if (!SUBJECT.test(sub)) {
          log.warn({ sub: cutText(sub, MAX_NAME_LENGTH) }, 'the identity provider names a user in no valid way');
          throw notVerified();
        }
        const complete = idClaims[groupsClaim] !== undefined && nameOf(idClaims) !== undefined;
        const claims =
          complete || found.serverMetadata().userinfo_endpoint === undefined
            ? idClaims
            : { ...(await oidc.fetchUserInfo(found, tokens.access_token, sub)), ...idClaims };
        return {
          issuer: iss,
          subject: sub,
          name: nameOf(claims) ?? cutText(sub, MAX_NAME_LENGTH),
          groups: [claims[groupsClaim]].flat().filter((group) => typeof group === 'string'),
        };
      } catch (error) {
        throw refusalOf(error, log);
      }
    },
  };
}

/** Reads the metadata of the provider (OpenID Connect Discovery 1.0). */
async function discover(config: Config, issuer: string): Promise<oidc.Configuration> {
  const insecure = allowsPrivateAddresses(config) ? [oidc.allowInsecureRequests] : [];
  const [clientId, secret] = [config.OIDC_CLIENT_ID!, config.OIDC_CLIENT_SECRET!];
  const discovered = await oidc.discovery(new URL(issuer), clientId, secret, undefined, {
    execute: insecure,
    timeout: TIMEOUT_SECONDS,
  });
  const metadata = discovered.serverMetadata();
  // The default of both specifications is client_secret_basic, the library's is client_secret_post.
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = methods.includes('client_secret_basic')
    ? oidc.ClientSecretBasic(secret)
    : oidc.ClientSecretPost(secret);
  const client = new oidc.Configuration(metadata, clientId, secret, authentication);
  client.timeout = TIMEOUT_SECONDS;
  // Verifies the signature of ID tokens, although they come straight from the provider.
  for (const apply of [...insecure, oidc.enableNonRepudiationChecks]) apply(client);
  return client;
}

/** Returns the name of a user without control characters, or undefined. */
function nameOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  for (const claim of NAME_CLAIMS) {
    const value = claims[claim];
    const name = typeof value === 'string' ? value.replace(/[\p{C}\s]+/gu, ' ').trim() : '';
    if (name !== '') return cutText(name, MAX_NAME_LENGTH);
  }
  return undefined;
}

const noResponse = (cause: unknown) =>
  Object.assign(unavailable('The identity provider does not respond. Try again shortly, or sign in with an API key.'), {
    cause,
  });

const notVerified = () =>
  new Refusal('UNAUTHORIZED', {
    message: 'The response of the identity provider did not pass verification. Start the sign-in again.',
  });

/** Codes of openid-client for a response that OpenID Connect does not define: a proxy's error page, for example. */
const BROKEN_RESPONSES = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];
/** OAuth errors of the token endpoint that are mistakes of the configuration (RFC 6749, 5.2). */
const WRONG_CLIENT = ['invalid_client', 'unauthorized_client'];

/** A client that authenticates with a header gets a challenge (RFC 6749, 5.2). */
const isWrongClient = (error: unknown) =>
  error instanceof oidc.WWWAuthenticateChallengeError
    ? error.status === 401
    : error instanceof oidc.ResponseBodyError && WRONG_CLIENT.includes(error.error);

/** Returns the refusal of a failed sign-in. An exception that is not the provider's is returned unchanged. */
function refusalOf(error: unknown, log: Logger): unknown {
  if (error instanceof oidc.AuthorizationResponseError) {
    log.warn({ err: error }, 'the identity provider refused a sign-in');
    return new Refusal('UNAUTHORIZED', { message: 'The identity provider refused the sign-in.' });
  }
  if (isWrongClient(error)) {
    log.error({ err: error }, 'the identity provider refused OIDC_CLIENT_ID or OIDC_CLIENT_SECRET');
    return noResponse(error);
  }
  if (error instanceof oidc.ResponseBodyError) {
    if (error.status >= 500) return noResponse(error);
    log.warn({ err: error }, 'the identity provider refused the code of a sign-in');
    return new Refusal('UNAUTHORIZED', {
      message: 'The identity provider refused the code of this sign-in. Start the sign-in again.',
    });
  }
  // The library wraps an exception that it does not know into a ClientError without a code.
  if (isUnavailable(error)) return noResponse(error);
  if (error instanceof oidc.ClientError) {
    if (error.code === undefined || BROKEN_RESPONSES.includes(error.code)) return noResponse(error);
    log.warn({ err: error }, 'the response of the identity provider did not pass verification');
    return notVerified();
  }
  // `fetch` rejects with a TypeError without a code when a connection fails. Those of the library have a code.
  if (error instanceof TypeError && !('code' in error) && error.cause !== undefined) return noResponse(error);
  return error;
}
