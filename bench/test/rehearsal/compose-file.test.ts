import { postgresSettings, readComposeFile } from '../../rehearsal/compose-file';

const SECRETS = {
  POSTGRES_PASSWORD: 'app-secret',
  LINK_SECRET: 'link',
  SECRET_KEYS: 'keys',
  CARRIER_WEBHOOK_SECRETS: 'carriers',
  S3_SECRET_KEY: 's3',
};

test('the environment of a service has its secrets, its defaults and the addresses of this machine', () => {
  const compose = readComposeFile(SECRETS, {
    '@database:5432': '@127.0.0.1:20001',
    'temporal:7233': '127.0.0.1:20002',
  });
  expect(compose.environmentOf('worker')).toMatchObject({
    DATABASE_URL: 'postgresql://pressline_app:app-secret@127.0.0.1:20001/pressline',
    TEMPORAL_ADDRESS: '127.0.0.1:20002',
    RATE_LIMIT_STORE: 'postgres',
    PUBLIC_URL: 'http://localhost:3000',
    PAYLOAD_KEYS: '',
  });
});

test('a variable that the file requires is named when it is missing', () => {
  const { LINK_SECRET: _missing, ...others } = SECRETS;
  expect(() => readComposeFile(others, {}).environmentOf('api')).toThrow('docker-compose.yml requires LINK_SECRET');
});

test('the settings of Postgres come from its command', () => {
  expect(postgresSettings(readComposeFile({}, {}).commandOf('database'))).toEqual({
    max_connections: '300',
    shared_buffers: '256MB',
  });
});
