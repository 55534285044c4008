import { stocked, stockPartner } from '../../src/procurement/stock-fixture';
import { type TestAccount, testAccount } from '../../support/api-deps';
import { type ProcurementApi, procurementApi } from './procurement-api';

let api: ProcurementApi;
beforeAll(async () => {
  api = await procurementApi();
});

describe('POST /procurement/v1/inventory/adjust-stock', () => {
  const adjust = (partner: TestAccount, ...adjustments: object[]) =>
    api.post('inventory/adjust-stock', partner, { adjustments });
  const add = { adjustmentType: 'add', quantity: 5 };

  it('returns a result for each adjustment, with 200 even when one fails', async () => {
    const partner = await stockPartner(api.sql, [stocked('frame', 2)]);
    const { body } = await adjust(
      partner,
      { partnerSku: 'frame', adjustmentType: 'consume', quantity: 6, referenceId: 'r-1' },
      { partnerSku: 'ghost', ...add },
      { partnerSku: 'frame', ...add, referenceId: 'r-1' },
      { partnerSku: 'frame', ...add },
    ).expect(200);
    expect(body).toEqual({
      updates: [
        {
          partnerSku: 'frame',
          success: true,
          message: expect.any(String),
          previousQuantity: 2,
          newQuantity: 0,
          backorderQuantity: 4,
        },
        {
          partnerSku: 'ghost',
          success: false,
          message: expect.stringContaining('ghost'),
          previousQuantity: 0,
          newQuantity: 0,
          backorderQuantity: 0,
        },
        {
          partnerSku: 'frame',
          success: false,
          message: expect.stringContaining('r-1'),
          previousQuantity: 0,
          newQuantity: 0,
          backorderQuantity: 4,
        },
        {
          partnerSku: 'frame',
          success: true,
          message: expect.any(String),
          previousQuantity: 0,
          newQuantity: 1,
          backorderQuantity: 0,
        },
      ],
    });
  });

  it('takes a referenceId of null as an absent one', async () => {
    const partner = await stockPartner(api.sql, [stocked('frame', 2)]);
    for (const newQuantity of [7, 12]) {
      const { body } = await adjust(partner, { partnerSku: 'frame', ...add, referenceId: null }).expect(200);
      expect(body.updates[0]).toMatchObject({ success: true, newQuantity });
    }
  });

  it('applies a referenceId once for twelve concurrent requests', async () => {
    const partner = await stockPartner(api.sql, [stocked('frame', 0)]);
    const responses = await Promise.all(
      Array.from({ length: 12 }, () =>
        adjust(partner, { partnerSku: 'frame', ...add, referenceId: 'delivery' }).expect(200),
      ),
    );
    const booked = responses.filter(({ body }) => body.updates[0].success);
    expect(booked.map(({ body }) => body.updates[0].newQuantity)).toEqual([5]);
    const { body } = await api.post('inventory/list', partner);
    expect(body.inventoryItem).toMatchObject([{ quantity: 5 }]);
  });

  it('accepts 100 adjustments and refuses 101', async () => {
    const partner = await stockPartner(api.sql, [stocked('frame', 0)]);
    const many = (count: number) => Array.from({ length: count }, () => ({ partnerSku: 'frame', ...add }));
    const { body } = await adjust(partner, ...many(100)).expect(200);
    expect(body.updates[99]).toMatchObject({ previousQuantity: 495, newQuantity: 500 });
    const refused = await adjust(partner, ...many(101)).expect(400);
    expect(refused.body).toEqual({
      success: false,
      data: [{ partnerSku: '', success: false, message: expect.stringContaining('adjustments') }],
    });
  });

  it.each([
    ['an unknown type', { partnerSku: 'frame', adjustmentType: 'set', quantity: 1 }],
    ['quantity 0', { partnerSku: 'frame', ...add, quantity: 0 }],
    ['a fractional quantity', { partnerSku: 'frame', ...add, quantity: 1.5 }],
    ['a huge quantity', { partnerSku: 'frame', ...add, quantity: 1e18 }],
    ['no quantity', { partnerSku: 'frame', adjustmentType: 'add' }],
    ['a blank referenceId', { partnerSku: 'frame', ...add, referenceId: '' }],
  ])('refuses the whole request for %s, and changes nothing', async (_, wrong) => {
    const partner = await stockPartner(api.sql, [stocked('frame', 1), stocked('tee', 1)]);
    const { body } = await adjust(partner, { partnerSku: 'tee', ...add }, wrong).expect(400);
    expect(body).toEqual({
      success: false,
      data: [{ partnerSku: 'frame', success: false, message: expect.stringContaining('adjustments[1].') }],
    });
    const { body: inventory } = await api.post('inventory/list', partner);
    expect(inventory.inventoryItem.map(({ quantity }: { quantity: number }) => quantity)).toEqual([1, 1]);
  });

  it('has an empty partnerSku in the error of an adjustment without one', async () => {
    const partner = await stockPartner(api.sql, [stocked('frame', 1)]);
    for (const wrong of [add, { ...add, partnerSku: '' }, { ...add, partnerSku: 7 }]) {
      const { body } = await adjust(partner, { ...add, partnerSku: 'frame' }, wrong).expect(400);
      expect(body).toEqual({
        success: false,
        data: [{ partnerSku: '', success: false, message: expect.stringContaining('adjustments[1].partnerSku') }],
      });
    }
  });

  it('describes the error of a body that is not an object', async () => {
    const { body } = await api.post('inventory/adjust-stock', await testAccount(api.sql, 'partner'), []).expect(400);
    expect(body.data).toEqual([
      {
        partnerSku: '',
        success: false,
        message: expect.stringMatching(/^The submitted data has errors\. \w/),
      },
    ]);
  });

  it('has the same form when the key is missing', async () => {
    const { body } = await api.post('inventory/adjust-stock', { ...(await stockPartner(api.sql)), key: {} as never });
    expect(body).toEqual({
      success: false,
      data: [{ partnerSku: '', success: false, message: 'The API key is missing or invalid.' }],
    });
  });

  it.each([[{}], [{ adjustments: [] }], [{ adjustments: null }], [{ adjustments: {} }]])('refuses %j', async (body) => {
    const response = await api.post('inventory/adjust-stock', await testAccount(api.sql, 'partner'), body).expect(400);
    expect(response.body).toMatchObject({ success: false, data: [{ success: false }] });
  });
});
