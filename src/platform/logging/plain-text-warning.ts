import type { Logger } from './logging';

/** Names of this machine, and addresses of its own. */
const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

/** Warns of servers on other machines that are reached without TLS. Their connections carry addresses of recipients and passwords. */
export function warnOfPlainText(
  { databaseUrl, temporal }: { databaseUrl: string; temporal: { readonly address: string; readonly tls?: unknown } },
  log: Logger,
): void {
  const { hostname, searchParams } = new URL(databaseUrl);
  const mode = searchParams.get('sslmode');
  if (
    hostname !== '' &&
    !LOCAL.test(hostname) &&
    (mode === null || mode === 'disable' || mode === 'prefer' || mode === 'allow')
  )
    log.warn(
      { host: hostname },
      'Postgres is on another machine and is reached without TLS: set sslmode=verify-full in DATABASE_URL',
    );
  const temporalHost = temporal.address.replace(/:\d+$/, '');
  if (!LOCAL.test(temporalHost) && !temporal.tls)
    log.warn({ host: temporalHost }, 'Temporal is on another machine and is reached without TLS: set TEMPORAL_TLS');
}
