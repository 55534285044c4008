import { randomBytes } from 'node:crypto';
import type { NamedKey } from '../../../../src/platform/sealing/named-keys';
import { createSecretBox, SecretNotOpened } from '../../../../src/platform/sealing/secret-box';

const newKey = (id: string): NamedKey => ({ id, key: randomBytes(32) });
const spring = newKey('spring');
const autumn = newKey('autumn');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('a secret box', () => {
  const box = createSecretBox([spring]);

  test('opens what it has sealed; equal secrets have different sealed texts', () => {
    const sealed = box.seal(SECRET, 'partners:1');
    expect(sealed).toMatch(/^sealed:spring:[A-Za-z0-9+/]+=*$/);
    expect(sealed).not.toContain(SECRET);
    expect(box.open(sealed, 'partners:1')).toBe(SECRET);
    expect(box.seal(SECRET, 'partners:1')).not.toBe(sealed);
  });

  test('opens secrets of every configured key and seals with the first', () => {
    const sealed = box.seal(SECRET, 'partners:1');
    const rotated = createSecretBox([autumn, spring]);
    expect(rotated.open(sealed, 'partners:1')).toBe(SECRET);
    expect(rotated.seal(SECRET, 'partners:1')).toMatch(/^sealed:autumn:/);
  });

  test('names the key of a secret that it cannot open', () => {
    const sealed = box.seal(SECRET, 'partners:1');
    const other = createSecretBox([autumn]);
    expect(() => other.open(sealed, 'partners:1')).toThrow(SecretNotOpened);
    expect(() => other.open(sealed, 'partners:1')).toThrow('key spring, which is not in SECRET_KEYS');
  });

  test.each([
    ['copied to another row', (sealed: string) => [sealed, 'partners:2'] as const],
    ['cut', (sealed: string) => [sealed.slice(0, -8), 'partners:1'] as const],
    ['emptied', () => ['sealed:spring:', 'partners:1'] as const],
    ['stored without being sealed', () => [SECRET, 'partners:1'] as const],
    [
      'altered',
      (sealed: string) =>
        [sealed.replace(/.(.{4})$/, (_, end) => `${sealed.at(-5) === 'A' ? 'B' : 'A'}${end}`), 'partners:1'] as const,
    ],
  ])('does not open a secret that was %s', (_, change) => {
    const [sealed, owner] = change(box.seal(SECRET, 'partners:1'));
    expect(() => box.open(sealed, owner)).toThrow(SecretNotOpened);
  });

  test('does not open a secret with another key of the same name', () => {
    const sealed = box.seal(SECRET, 'partners:1');
    expect(() => createSecretBox([newKey('spring')]).open(sealed, 'partners:1')).toThrow(SecretNotOpened);
  });
});
