import { createHmac } from 'node:crypto';
import { newSigningSecret, signatureHeaders, verifySignature } from '../../../../src/platform/http/webhook-signature';

const body = '{"event":"order_status_updated","name":"Zoë"}';

describe('webhook signatures (Standard Webhooks 1.0)', () => {
  it('use random secrets of 32 bytes', () => {
    const secret = newSigningSecret();
    expect(secret).toMatch(/^whsec_/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(newSigningSecret()).not.toBe(secret);
  });

  it('sign id, timestamp and body', () => {
    const secret = newSigningSecret();
    const headers = signatureHeaders({
      id: 'msg_1',
      body,
      at: new Date(1_700_000_000_500),
      secrets: [secret],
    });
    const expected = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`msg_1.1700000000.${body}`)
      .digest('base64');
    expect(headers).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${expected}`,
    });
  });

  it('contain a signature for each secret during a rotation', () => {
    const [before, after] = [newSigningSecret(), newSigningSecret()];
    const headers = signatureHeaders({ id: 'm', body, at: new Date(), secrets: [after, before] });
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
    expect(verifySignature(headers, body, [before])).toBe(true);
    expect(verifySignature(headers, body, [after])).toBe(true);
  });

  it('are refused when the message was altered, is old, or was signed with another secret', () => {
    const secret = newSigningSecret();
    const headers = signatureHeaders({ id: 'm', body, at: new Date(), secrets: [secret] });
    expect(verifySignature(headers, Buffer.from(body), [secret])).toBe(true);
    expect(verifySignature(headers, `${body} `, [secret])).toBe(false);
    expect(verifySignature({ ...headers, 'webhook-id': 'n' }, body, [secret])).toBe(false);
    expect(verifySignature(headers, body, [newSigningSecret()])).toBe(false);
    expect(verifySignature({}, body, [secret])).toBe(false);
    const old = signatureHeaders({ id: 'm', body, at: new Date(Date.now() - 6 * 60_000), secrets: [secret] });
    expect(verifySignature(old, body, [secret])).toBe(false);
  });
});
