import { createLinkSigner, type LinkKeys, parseLinkKeys } from '../../../../src/platform/objects/signed-links';

const [OLD, NEW, OTHER] = ['o', 'n', 'x'].map((letter) => letter.repeat(32)) as [string, string, string];
const target = { objectKey: 'labels/1', contentType: 'application/pdf', fileName: 'label.pdf' };
const signer = (text: string) =>
  createLinkSigner({ keys: parseLinkKeys(text) as LinkKeys, publicUrl: 'https://pressline.test' });
const tokenOf = (text: string) => signer(text).sign(target, { seconds: 60 }).split('/')[4]!;

describe('LINK_SECRET', () => {
  test.each<[string, LinkKeys | undefined]>([
    [`a:${OLD}`, [{ id: 'a', secret: OLD }]],
    [
      `b:${NEW}, a:${OLD}`,
      [
        { id: 'b', secret: NEW },
        { id: 'a', secret: OLD },
      ],
    ],
    [OLD, [{ id: null, secret: OLD }]],
    [`${OLD}=+/`, [{ id: null, secret: `${OLD}=+/` }]],
    ['short', undefined],
    ['a:short', undefined],
    [`a:${OLD},a:${NEW}`, undefined],
    [`a:${OLD},${NEW}`, undefined],
    [`a:${OLD},b:`, undefined],
  ])('%s', (text, keys) => {
    expect(parseLinkKeys(text)).toEqual(keys);
  });
});

describe('keys of links', () => {
  test('the first one signs, and its id is in the token', () => {
    expect(tokenOf(`b:${NEW},a:${OLD}`)).toMatch(/^[\w-]+\.[\w-]{43}\.b$/);
    expect(tokenOf(OLD)).toMatch(/^[\w-]+\.[\w-]{43}$/);
  });

  test('all verify: links of before a rotation stay valid until the old key is removed', () => {
    const token = tokenOf(`a:${OLD}`);
    expect(signer(`b:${NEW},a:${OLD}`).open(token)).toEqual({ ok: true, target });
    expect(signer(`b:${NEW}`).open(token)).toEqual({ ok: false, reason: 'invalid' });
  });

  test('a link that was signed by a secret without an id verifies after the secret has got one', () => {
    const token = tokenOf(OLD);
    expect(signer(`b:${NEW},a:${OLD}`).open(token)).toEqual({ ok: true, target });
    expect(signer(`b:${NEW},a:${OTHER}`).open(token)).toEqual({ ok: false, reason: 'invalid' });
  });

  test('the id is part of what is verified', () => {
    const [payload, mac] = tokenOf(`a:${OLD}`).split('.');
    const both = signer(`b:${NEW},a:${OLD}`);
    for (const token of [`${payload}.${mac}.b`, `${payload}.${mac}.c`, `${payload}.${mac}.a.a`, `${payload}.${mac}.`]) {
      expect(both.open(token)).toEqual({ ok: false, reason: 'invalid' });
    }
  });
});
