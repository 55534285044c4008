import { z } from 'zod';
import { CheckImpossible, checkPartner } from '../../../kits/partner-kit/check-partner';
import type { FaultName } from '../../../kits/partner-kit/report';
import { type ConformanceReport, conformanceReportSchema } from '../../../kits/partner-kit/report';
import { CHECK_LIMITS } from '../../../kits/partner-kit/sender';
import { partnerByAccount, signingSecretsOf } from '../../../src/partners/partner-rows';
import { allowsPrivateAddresses } from '../../../src/platform/config';
import { Refusal } from '../../../src/platform/errors';
import { foundById } from '../../../src/platform/ids';
import type { ApiDeps } from '../../deps';
import { forOperators, type Route, route } from '../../http/route';

/** No scenario begins later. The scenario that has begun, and the response, have the rest of the route's timeout. */
const PLAY_MS = 20_000;
const ANSWER_MS = 5_000;

export function conformanceRoute(deps: Pick<ApiDeps, 'sql' | 'client' | 'secretBox' | 'config' | 'publicUrl'>): Route {
  const { sql, client, secretBox, config, publicUrl } = deps;
  return route('POST /v1/partners/{partnerId}/conformance', {
    ...forOperators('Operator: partners', 'admin'),
    operationId: 'checkPartnerConformance',
    refuses: ['CONFLICT'],
    summary: 'Check that the endpoints of a print partner follow the rules',
    description:
      'Plays sample print orders, duplicates, changed content, forged signatures, cancel requests, order updates and a stock ' +
      'poll against the addresses of the subscription, and names each fault. The partner gets messages that it must not produce: ' +
      'their ids have 18 digits and begin with 99. Postbacks are not awaited. Scenarios that would begin after 20 s are skipped, and a check ' +
      'that takes more than 30 s ends with 503. The command `check-partner` has more time and can wait for postbacks.',
    params: z.object({ partnerId: z.string() }),
    response: conformanceReportSchema,
    audits: ['partner.check'],
    handler: async ({ params: { partnerId }, log, audit, intend }) => {
      const partner = await foundById(partnerId, () => partnerByAccount(sql, partnerId));
      const { orderSubmitUrl, capabilities } = partner;
      if (orderSubmitUrl === null) throw new Refusal('CONFLICT', { message: 'The partner has not subscribed yet.' });
      await intend({ action: 'partner.check', objectId: partnerId });
      const report = await checkPartner(
        {
          ...partner,
          orderSubmitUrl,
          kinds: capabilities.productKinds,
          secrets: signingSecretsOf(secretBox, partner),
        },
        {
          client,
          allowPrivate: allowsPrivateAddresses(config),
          filesUrl: `${publicUrl}/conformance-files`,
          limits: { ...CHECK_LIMITS, responseMs: ANSWER_MS },
          playMs: PLAY_MS,
        },
      ).catch((error: unknown) => {
        if (error instanceof CheckImpossible) throw new Refusal('CONFLICT', { message: error.message });
        throw error;
      });
      const after = { passed: report.passed, faults: faultsOf(report) };
      await audit(sql, { action: 'partner.check', objectId: partnerId, before: null, after });
      log.info({ partner: partner.uid, ...after }, 'partner checked');
      return report;
    },
  });
}

const faultsOf = ({ scenarios }: ConformanceReport): FaultName[] => [
  ...new Set(scenarios.flatMap(({ findings }) => findings.map(({ fault }) => fault))),
];
