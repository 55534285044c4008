import { FAULTS } from '../../kits/partner-kit/report';
import { postbackSchema } from '../../src/orders/production/postbacks';
import { blocks, blocksOf, section } from '../support/pages';

// biome-ignore lint/suspicious/noExplicitAny: messages of every kind
const messages = (heading: string): any[] =>
  blocksOf(section('partners', heading), 'json').map((json) => JSON.parse(json));

// test/api/partner/message-schemas.test.ts compares them with the JSON schemas.
describe('The messages of docs/partners.md', () => {
  it('are valid postbacks', () => {
    const postbacks = messages('Send postbacks');
    expect(postbacks.map(({ status }) => status)).toEqual(['error', 'printed', 'cancelled', 'shipped']);
    for (const postback of postbacks) expect(postbackSchema.safeParse(postback).error).toBeUndefined();
  });

  it('list every fault of the conformance check', () => {
    const rows = [...section('partners', 'Check your endpoints').matchAll(/^\| `([a-z][a-z-]+)` \| (.*) \|$/gm)];
    expect(Object.fromEntries(rows.map(([, name, meaning]) => [name, meaning]))).toEqual(FAULTS);
  });

  it('are JSON', () => {
    for (const json of blocks('partners', 'json')) expect(() => JSON.parse(json)).not.toThrow();
    for (const command of blocks('partners', 'sh')) {
      const body = /-d '(.*?)'/s.exec(command)?.[1];
      if (body !== undefined) expect(() => JSON.parse(body)).not.toThrow();
    }
  });
});
