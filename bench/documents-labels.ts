import { sscc } from '../src/carriers/domain/tracking-numbers';
import type { LabelContent } from '../src/documents/label-layout';
import { renderLabelPdf } from '../src/documents/labels';
import { runBenchmark } from './support/benchmark';
import { withBenchStack } from './support/processes/bench-stack';
import { spreadOf } from './support/report';

const SENDER = {
  company: 'Druckhaus Spree GmbH',
  addressLine1: 'Köpenicker Straße 154a',
  street: 'Köpenicker Straße',
  houseNumber: '154a',
  city: 'Berlin',
  postcode: '10997',
  country: 'DE',
};
const RECEIVER = {
  firstName: 'Anneliese',
  lastName: 'Großmann-Müller',
  addressLine1: 'Sendlinger Straße 8',
  street: 'Sendlinger Straße',
  houseNumber: '8',
  city: 'München',
  postcode: '80331',
  country: 'DE',
};

const label = (serial: number): LabelContent => ({
  carrierName: 'Tern Parcel',
  serviceName: 'Domestic',
  mark: 'DOMESTIC',
  brandName: 'Northern Walls',
  sender: SENDER,
  originCountry: 'DE',
  receiver: RECEIVER,
  reference: 'ORDER-2026-000123',
  packageReference: 'pkg-1',
  packageNumber: 1,
  packageCount: 1,
  weightGrams: 1_250,
  date: '2026-01-05',
  routing: 'DE-803',
  barcode: { symbology: 'gs1-128', value: sscc('9521101', serial) },
});

/** Returns the CPU milliseconds of a label, for each batch of twenty. */
async function labelCpu(batches: number): Promise<number[]> {
  const costs: number[] = [];
  for (let batch = -1; batch < batches; batch++) {
    const start = process.cpuUsage();
    for (let index = 0; index < 20; index++) await renderLabelPdf([label((batch + 1) * 20 + index)]);
    const { user, system } = process.cpuUsage(start);
    // The first batch loads the fonts and does not count.
    if (batch >= 0) costs.push((user + system) / 1_000 / 20);
  }
  return costs;
}

const person = ({ company, firstName, lastName }: { company?: string; firstName?: string; lastName?: string }) => ({
  company,
  firstName,
  lastName,
});
const placeOf = ({ addressLine1, street, houseNumber, city, postcode, country }: typeof SENDER | typeof RECEIVER) => ({
  addressLine1,
  street,
  houseNumber,
  city,
  postcode,
  country,
});

/** Returns the milliseconds from request to response, for each shipping order of twenty packages. */
async function twentyPackages(rounds: number): Promise<number[]> {
  return await withBenchStack({}, async ({ credentials: { baseUrl, client } }) => {
    const times: number[] = [];
    for (let round = -1; round < rounds; round++) {
      const packages = Array.from({ length: 20 }, (_, index) => ({
        packageReferenceId: `pkg-${index + 1}`,
        grossWeight: 850,
        length: 300,
        width: 200,
        height: 60,
      }));
      const began = performance.now();
      const response = await fetch(`${baseUrl}/v1/shipping-orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'X-API-KEY': client.apiKey },
        body: JSON.stringify({
          orderReferenceId: `bench-${round + 1}`,
          currency: 'EUR',
          shippingMethod: { tier: 'standard' },
          receiver: { person: person(RECEIVER), address: placeOf(RECEIVER) },
          sender: { person: person(SENDER), address: placeOf(SENDER) },
          packages,
        }),
      });
      const bought = (await response.json()) as { packages?: { trackingNumber: string }[] };
      const took = performance.now() - began;
      const numbers = new Set(bought.packages?.map(({ trackingNumber }) => trackingNumber));
      if (numbers.size !== 20) throw new Error(`${response.status}: ${JSON.stringify(bought)}`);
      if (round >= 0) times.push(took);
    }
    return times;
  });
}

/** Measures the CPU time of a PDF label and the duration of a shipping order with twenty packages. */
runBenchmark({
  name: 'documents-labels',
  options: { rounds: [15, 'batches of labels, and shipping orders'] },
  measure: async ({ rounds }) => {
    const [cpu, order] = [await labelCpu(rounds), await twentyPackages(rounds)];
    return [
      { what: 'PDF label', unit: 'ms CPU', value: spreadOf(cpu), target: { value: 10, atLeast: false } },
      {
        what: 'shipping order of 20 packages',
        unit: 'ms',
        value: spreadOf(order),
        target: { value: 2_000, atLeast: false },
      },
    ];
  },
});
