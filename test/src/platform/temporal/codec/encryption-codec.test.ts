import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { type Config, loadConfig } from '../../../../../src/platform/config';
import type { NamedKey } from '../../../../../src/platform/sealing/named-keys';
import {
  dataConverterOf,
  encryptionCodec,
  UndecryptablePayload,
} from '../../../../../src/platform/temporal/codec/data-converter';

const newKey = (id: string): NamedKey => ({ id, key: randomBytes(32) });
const [spring, autumn] = [newKey('spring'), newKey('autumn')];
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueIn = (from: Payload) => defaultPayloadConverter.fromPayload(from);

const one = async (encode: Promise<Payload[]>): Promise<Payload> => (await encode)[0]!;

test.each([
  ['an object', { name: 'Ada Lovelace', items: [1, 2] }],
  ['text', 'Torstraße 1'],
  ['nothing', undefined],
  ['null', null],
  ['bytes', new Uint8Array([0, 255, 1])],
  ['much', 'x'.repeat(1_000_000)],
])('%s is decrypted to its original', async (_what, value) => {
  const codec = encryptionCodec([spring]);
  const encrypted = await codec.encode([payload(value)]);
  expect(valueIn(await one(codec.decode(encrypted)))).toEqual(value);
});

test('a stored payload shows the name of its key and nothing of the value or its kind', async () => {
  const { metadata, data } = await one(encryptionCodec([spring]).encode([payload('Lovelace')]));
  expect(Object.keys(metadata!).sort()).toEqual(['encoding', 'encryption-key-id']);
  expect(Buffer.from(metadata!['encryption-key-id']!).toString()).toBe('spring');
  expect(Buffer.from(data!).toString('latin1')).not.toMatch(/Lovelace|json/);
});

test('equal values never look equal', async () => {
  const codec = encryptionCodec([spring]);
  const [one, other] = await codec.encode([payload('same'), payload('same')]);
  expect(one!.data).not.toEqual(other!.data);
});

test('a new first key encrypts, the old one still decrypts', async () => {
  const before = await encryptionCodec([spring]).encode([payload('old')]);
  const rotated = encryptionCodec([autumn, spring]);
  expect(valueIn(await one(rotated.decode(before)))).toBe('old');
  const after = await one(rotated.encode([payload('new')]));
  expect(Buffer.from(after.metadata!['encryption-key-id']!).toString()).toBe('autumn');
});

test('payloads from before encryption are read as they are, and none is encrypted twice', async () => {
  const codec = encryptionCodec([spring]);
  expect(valueIn(await one(codec.decode([payload('plain')])))).toBe('plain');
  const twice = await codec.encode(await codec.encode([payload('once')]));
  expect(valueIn(await one(codec.decode(twice)))).toBe('once');
});

describe('what cannot be decrypted', () => {
  const decoding = async (change: (encrypted: Payload) => Payload, keys: [NamedKey, ...NamedKey[]] = [spring]) => {
    const encrypted = await one(encryptionCodec([spring]).encode([payload('secret')]));
    return await encryptionCodec(keys).decode([change(encrypted)]);
  };
  const withByte = (at: number) => (encrypted: Payload) => {
    const data = Buffer.from(encrypted.data!);
    data[at < 0 ? data.length + at : at]! ^= 1;
    return { ...encrypted, data };
  };
  test.each([
    ['a changed nonce', withByte(0)],
    ['a changed text', withByte(14)],
    ['a changed tag', withByte(-1)],
    ['a text cut short', (encrypted: Payload) => ({ ...encrypted, data: encrypted.data!.subarray(0, 20) })],
    ['no text', (encrypted: Payload) => ({ ...encrypted, data: new Uint8Array() })],
  ])('%s is refused, without a word of the key', async (_what, change) => {
    const error = await decoding(change).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UndecryptablePayload);
    expect((error as Error).message).toMatch(/key spring is damaged/);
  });
  test('an error names a key that is not configured', async () => {
    await expect(decoding((same) => same, [autumn])).rejects.toThrow('payload key "spring" is not in PAYLOAD_KEYS');
  });
  test('another key of the same name is refused', async () => {
    await expect(decoding((same) => same, [newKey('spring')])).rejects.toThrow(UndecryptablePayload);
  });
  test('a payload under the name of another key is refused', async () => {
    const twin = { id: 'twin', key: spring.key };
    const renamed = (encrypted: Payload): Payload => ({
      ...encrypted,
      metadata: { ...encrypted.metadata, 'encryption-key-id': Buffer.from('twin') },
    });
    await expect(decoding(renamed, [twin])).rejects.toThrow(UndecryptablePayload);
  });
});

describe('PAYLOAD_KEYS', () => {
  const keysOf = (text: string | undefined): Config['PAYLOAD_KEYS'] => loadConfig({ PAYLOAD_KEYS: text }).PAYLOAD_KEYS;
  const encoded = (bytes = 32) => randomBytes(bytes).toString('base64');

  test('payloads are not encrypted without keys', () => {
    expect(keysOf(undefined)).toBeUndefined();
    expect(dataConverterOf(undefined).payloadCodecs).toEqual([]);
  });
  test('keys keep their order', () => {
    expect(keysOf(`new:${encoded()}, old:${encoded()}`)?.map(({ id }) => id)).toEqual(['new', 'old']);
  });
  test.each([
    ['no name', encoded()],
    ['a short key', `a:${encoded(16)}`],
    ['a long key', `a:${encoded(33)}`],
    ['a name twice', `a:${encoded()},a:${encoded()}`],
    ['a comma at the end', `a:${encoded()},`],
  ])('%s ends the start, and is not repeated in the message', (_what, text) => {
    expect(() => keysOf(text)).toThrow(/^Wrong configuration: PAYLOAD_KEYS: expected name:key/);
    expect(() => keysOf(text)).not.toThrow(text);
  });
});
