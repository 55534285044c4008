import { sandboxFixture } from './sandbox-fixture';
import { printOrder, sendSigned, until } from './stub-pressline';

const fixture = sandboxFixture();

/** Ships a print order and returns the events of its parcel after `count` events have arrived. */
async function events(id: string, marker: string, count: number) {
  await sendSigned(
    fixture.stub,
    fixture.sandbox.partnerUrls('prints-berlin').orderSubmitUrl,
    printOrder(fixture.sandbox, id, marker),
  );
  const of = () => fixture.stub.carrierEvents.filter(({ trackingNumber }) => trackingNumber === `TRACK${id}`);
  await until(() => of().length >= count, `${count} events of ${id}`);
  return of();
}

describe('Carriers', () => {
  it('report every scan up to delivery, signed, as the carrier that tracking names', async () => {
    const seen = await events('400', '', 4);
    expect(seen.map(({ statusUid }) => statusUid)).toEqual([
      'registered',
      'in_transit',
      'out_for_delivery',
      'delivered',
    ]);
    expect(new Set(seen.map(({ carrierUid }) => carrierUid))).toEqual(new Set(['merlin_express']));
    await until(() => fixture.sandbox.seen().parcels[0]?.events.length === 4, 'the last response');
  });

  it('return a parcel', async () => {
    expect((await events('401', 'sandbox:parcel-returned', 7)).at(-1)!.statusUid).toBe('returned');
  });

  it('send events in reverse order, each twice with one id', async () => {
    const seen = await events('402', 'sandbox:parcel-events-disordered', 8);
    expect(seen[0]!.statusUid).toBe('delivered');
    expect(seen.at(-1)!.statusUid).toBe('registered');
    expect(new Set(seen.map(({ id }) => id)).size).toBe(4);
  });

  it('use the newest label of a parcel', async () => {
    const { orderSubmitUrl } = fixture.sandbox.partnerUrls('prints-berlin');
    await sendSigned(
      fixture.stub,
      orderSubmitUrl,
      printOrder(fixture.sandbox, '404', 'sandbox:waits-after-dispatch=200'),
    );
    const seen = () =>
      fixture.sandbox.seen().partners['prints-berlin']!.printOrders.find((o) => o.printOrderId === '404')!;
    await until(() => seen().trackingCodes.length === 1, 'the first label');
    fixture.stub.trackingCodes.set('404', 'NEWER404');
    await until(
      () => fixture.stub.carrierEvents.some(({ trackingNumber }) => trackingNumber === 'NEWER404'),
      'its events',
    );
    expect(seen().trackingCodes).toEqual(['TRACK404', 'NEWER404']);
    expect(fixture.stub.carrierEvents.some(({ trackingNumber }) => trackingNumber === 'TRACK404')).toBe(false);
  });

  it('report every parcel of a print order of several parcels', async () => {
    fixture.stub.parcels.set('405', ['FIRST405', 'SECOND405']);
    const { orderSubmitUrl } = fixture.sandbox.partnerUrls('prints-berlin');
    await sendSigned(fixture.stub, orderSubmitUrl, printOrder(fixture.sandbox, '405'));
    const deliveredParcels = () =>
      fixture.stub.carrierEvents
        .filter(({ statusUid }) => statusUid === 'delivered')
        .map(({ trackingNumber }) => trackingNumber);
    const ownParcels = () => deliveredParcels().filter((trackingNumber) => trackingNumber.endsWith('405'));
    await until(() => ownParcels().length === 2, 'both parcels');
    expect(ownParcels().sort()).toEqual(['FIRST405', 'SECOND405']);
  });

  it('send no events of a carrier without a secret, whose scans Pressline reads', async () => {
    const { orderSubmitUrl } = fixture.sandbox.partnerUrls('prints-berlin');
    await sendSigned(fixture.stub, orderSubmitUrl, printOrder(fixture.sandbox, '406'));
    const parcel = () => fixture.sandbox.seen().parcels.find(({ trackingNumber }) => trackingNumber === 'TRACK406');
    await until(() => parcel()?.carrierUid === 'easypost', 'its carrier');
    await events('407', '', 4);
    expect(parcel()!.events).toEqual([]);
    expect(fixture.stub.arrivals.filter(({ path }) => path.includes('easypost'))).toEqual([]);
  });

  it('retry while Pressline is unavailable', async () => {
    fixture.stub.failures.set('/v1/carriers/merlin_express/events', { status: 503, left: 2 });
    expect(await events('403', '', 4)).toHaveLength(4);
  });
});
