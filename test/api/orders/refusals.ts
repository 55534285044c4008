import { fields, type OrdersApi } from './orders-api';

export const MISSING = 'MISSING_FIELD_ERROR';
export const BLANK = 'IS_BLANK_ERROR';
export const CHOICE = 'NO_SUCH_CHOICE_ERROR';
export const WRONG = 'VALIDATION_ERROR';

/** An order that is refused: the rule that it breaks, its body, and the field errors as `code reference`. */
export type RefusedOrder = [rule: string, body: object, ...errors: string[]];

/** Fields that a submission requires and a quote does not. */
const NOT_QUOTED =
  /^(orderReferenceId|shippingAddress\.(firstName|lastName|addressLine1|email|phone)|items\[\d+\]\.files(\[\d+\]\.url)?)$/;
/** Fields that a quote does not have. */
const OF_SUBMISSIONS = ['orderType', 'preventDuplicate', 'replaces'];

/** Returns the errors of a submission that a quote of the same body has, too. */
const quotedErrors = (errors: readonly string[]) =>
  errors.filter((error) => {
    const [code, field] = error.split(' ') as [string, string];
    return !(code === MISSING && NOT_QUOTED.test(field)) && !OF_SUBMISSIONS.includes(field);
  });

/**
 * Tests that submissions are refused with 400 and these field errors, and that nothing is stored. A quote of the same body is
 * refused with the same errors.
 */
export function testRefusals(refused: readonly RefusedOrder[], api: () => OrdersApi): void {
  describe('refused: the error names the field, and nothing is stored', () => {
    let before: Record<string, number>;
    beforeAll(async () => {
      before = await api().rows();
    });
    afterAll(async () => {
      expect(await api().rows()).toEqual(before);
    });

    test.each(refused)('%s', async (_rule, body, ...errors) => {
      const { body: response } = await api()
        .submit(body)
        .set('Idempotency-Key', 'released by every refusal')
        .expect(400);
      expect(fields(response)).toEqual([...errors].sort());
      expect(response).toEqual({
        code: 'VALIDATION_ERROR',
        message: expect.any(String),
        requestId: expect.any(String),
        errors: errors.map(() => ({
          code: expect.any(String),
          message: expect.stringMatching(/\.$/),
          reference: expect.any(String),
        })),
      });
      const quoted = quotedErrors(errors);
      if (quoted.length === 0) return;
      const quote = await api().post('/v1/orders/quote', body).expect(400);
      expect(fields(quote.body)).toEqual([...quoted].sort());
    });
  });
}
