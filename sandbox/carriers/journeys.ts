import type { JourneyName } from '../behaviour';

/** One scan of a parcel as a carrier reports it. Schema `Tracking` has the values of statusUid. */
export interface Scan {
  readonly statusUid: string;
  readonly message: string;
  readonly location: string;
  /** Time of the scan. It is independent of the position in the list, which is the order of sending. */
  readonly minute: number;
}

const scan = (statusUid: string, message: string, location: string, minute: number): Scan => ({
  statusUid,
  message,
  location,
  minute,
});

const registered = scan('registered', 'Shipment data received', '', 0);
const inTransit = scan('in_transit', 'Departed the sorting centre', 'Sorting centre', 1);
const outForDelivery = scan('out_for_delivery', 'Out for delivery', 'Delivery depot', 4);
const delivered = scan('delivered', 'Delivered', 'Receiver', 7);
const usual = [registered, inTransit, outForDelivery, delivered];

/** Control and right-to-left characters, and the longest text that an event may have. */
const oddWords = (text: string, length: number) =>
  `${text} \u0007\u001b[31m\u009b \u202e\ufeff`.padEnd(length, '\u0301');

/** The scans of each kind of journey, in the order in which the carrier sends them. */
export const JOURNEYS: Readonly<Record<JourneyName, readonly Scan[]>> = {
  delivered: usual,
  returned: [
    registered,
    inTransit,
    outForDelivery,
    scan('failed_attempt', 'Nobody there to take the parcel', 'Delivery depot', 5),
    scan('available_for_pickup', 'Waiting at the pick-up point', 'Pick-up point', 6),
    scan('not_picked_up', 'Not picked up in time', 'Pick-up point', 8),
    scan('returned', 'Returned to sender', 'Sender', 9),
  ],
  troubled: [
    registered,
    inTransit,
    scan('shipping_exception', 'Held up by weather', 'Sorting centre', 2),
    scan('in_transit', 'On its way again', 'Sorting centre', 3),
    outForDelivery,
    scan('failed_attempt', 'Nobody there to take the parcel', 'Delivery depot', 5),
    delivered,
  ],
  'odd-words': usual.map((entry) => ({
    ...entry,
    message: oddWords(entry.message, 500),
    location: oddWords(entry.location, 200),
  })),
  disordered: [...usual].reverse().flatMap((entry) => [entry, entry]),
};
