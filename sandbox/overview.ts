import { BEHAVIOURS } from './behaviours';
import type { Carriers } from './carriers/carriers';
import { FAULTS } from './files/faults';
import { PRINT_FILES } from './files/print-files';
import type { Partner } from './partners/partner';
import type { Mode } from './partners/partner-context';
import type { SetFaults } from './set-faults';

/** Print orders of each partner, and parcels, that an overview has: the latest ones. */
const LATEST = 50;

/** What the sandbox can do, and the latest print orders and parcels. The web console shows it. */
export interface OverviewSources {
  readonly mode: Mode;
  readonly partners: ReadonlyMap<string, Partner>;
  readonly carriers: Carriers;
  readonly carrierUids: readonly string[];
  readonly faults: SetFaults;
  /** Address of this sandbox. */
  readonly url: string;
}

/** Returns the overview as JSON. */
export function overviewOf({ mode, partners, carriers, carrierUids, faults, url }: OverviewSources) {
  const filesAt = (folder: string, summaries: Readonly<Record<string, string | null>>) =>
    Object.entries(summaries).map(([name, summary]) => ({ name, url: `${url}/${folder}/${name}`, summary }));
  return {
    mode,
    behaviours: Object.entries(BEHAVIOURS).map(([name, { summary, amount }]) => ({
      name,
      summary,
      amount: amount ?? null,
    })),
    partners: [...partners.values()].map((partner) => {
      const { subscribed, printOrders } = partner.seen();
      return {
        name: partner.name,
        subscribed,
        rules: partner.rules().map(({ rule, left }) => ({
          id: rule.id,
          behaviour: rule.behaviour.name,
          amount: rule.behaviour.amount,
          contains: rule.contains ?? null,
          left: Number.isFinite(left) ? left : null,
        })),
        printOrders: printOrders
          .slice(-LATEST)
          .reverse()
          .map(({ printOrderId, behaviour, state, reason, postbacks, trackingCodes }) => ({
            printOrderId,
            behaviour,
            state,
            reason,
            postbacks: postbacks.map(({ status, responseStatus }) => ({ status, responseStatus })),
            trackingCodes,
          })),
      };
    }),
    carriers: carrierUids.map((uid) => ({ uid, labelRefusal: faults.labels.get(uid) ?? null })),
    parcels: carriers.seen().slice(-LATEST).reverse(),
    files: filesAt('files', Object.fromEntries(Object.keys(PRINT_FILES).map((name) => [name, null]))).map((file) => ({
      ...file,
      faultStatus: faults.files.get(file.name) ?? null,
    })),
    faultyFiles: filesAt('faulty-files', FAULTS),
  };
}
