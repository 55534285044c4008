import { json, type Response, Router } from 'express';
import { z } from 'zod';
import { BEHAVIOURS, choose, isBehaviourName } from './behaviours';
import type { SeenParcel } from './carriers/carriers';
import { PRINT_FILES } from './files/print-files';
import { type OverviewSources, overviewOf } from './overview';
import type { Partner } from './partners/partner';
import type { SeenPartner } from './partners/seen';

/** Everything that the partners and carriers received and sent. */
export interface Seen {
  readonly partners: Readonly<Record<string, SeenPartner>>;
  readonly parcels: readonly SeenParcel[];
}

const ruleSchema = z.object({
  behaviour: z.string().refine(isBehaviourName, 'unknown behaviour; GET /control/behaviours lists all of them'),
  amount: z.number().int().nonnegative().optional(),
  contains: z.string().min(1).optional(),
  times: z.number().int().positive().optional(),
});
const stockSchema = z.object({
  sku: z.string().min(1),
  status: z.enum(['in-stock', 'out-of-stock']),
  amount: z.number().int().nonnegative().optional(),
  replenishmentDate: z.iso.date().optional(),
});
const subscriptionSchema = z.record(z.string(), z.unknown());
const fileFaultSchema = z.object({ status: z.number().int().min(400).max(599) });
const labelFaultSchema = z.object({ message: z.string().min(1).max(500) });
const eventsSchema = z.object({ events: z.array(z.record(z.string(), z.unknown())).min(1) });

/** The control API, for tests, fault runs and people. It listens on loopback only and requires no key. */
export function controlRoutes(
  { partners, carriers, faults, ...sandbox }: Omit<OverviewSources, 'url'>,
  seen: () => Seen,
): Router {
  const router = Router();
  router.use('/control', json({ limit: '1mb', strict: false }));

  const checked = <T>(response: Response, schema: z.ZodType<T>, body: unknown): T | undefined => {
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    response.status(400).json({
      error: result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
    });
    return undefined;
  };
  const partnerOf = (response: Response, name: string): Partner | undefined => {
    const partner = partners.get(name);
    if (partner === undefined) response.status(404).json({ error: `There is no partner ${name}` });
    return partner;
  };

  router.get('/control/seen', (_request, response) => {
    response.json(seen());
  });
  router.get('/control/overview', (request, response) => {
    const url = `http://127.0.0.1:${request.socket.localPort}`;
    response.json(overviewOf({ ...sandbox, partners, carriers, faults, url }));
  });
  router.get('/control/behaviours', (_request, response) => {
    response.json({
      behaviours: Object.entries(BEHAVIOURS).map(([name, { summary, amount }]) => ({
        name,
        summary,
        amount,
      })),
    });
  });
  router.post('/control/partners/:name/behaviour', (request, response) => {
    const partner = partnerOf(response, request.params.name);
    const rule = partner && checked(response, ruleSchema, request.body);
    if (!partner || !rule) return;
    const behaviour = choose(rule.behaviour, rule.amount);
    response.json(partner.setRule({ behaviour, contains: rule.contains, times: rule.times }));
  });
  router.post('/control/partners/:name/subscription', async (request, response) => {
    const partner = partnerOf(response, request.params.name);
    const fields = partner && checked(response, subscriptionSchema, request.body);
    if (partner && fields) response.json(await partner.resubscribe(fields));
  });
  router.delete('/control/partners/:name/behaviour', (request, response) => {
    const partner = partnerOf(response, request.params.name);
    if (!partner) return;
    partner.clearRules();
    response.json({ message: 'All rules removed' });
  });
  router.post('/control/partners/:name/stock', (request, response) => {
    const partner = partnerOf(response, request.params.name);
    const stock = partner && checked(response, stockSchema, request.body);
    if (!partner || !stock) return;
    const { sku, status, amount, replenishmentDate } = stock;
    partner.setStock(sku, {
      status,
      ...(amount === undefined ? {} : { amount }),
      ...(replenishmentDate === undefined ? {} : { replenishmentDate }),
    });
    response.json({ message: `Stock of ${sku} set` });
  });
  // The next three send the body unchanged, valid or not, and return Pressline's response.
  router.post('/control/partners/:name/postback', async (request, response) => {
    const partner = partnerOf(response, request.params.name);
    if (partner) response.json(await partner.postback(request.body));
  });
  router.post('/control/partners/:name/dispatch', async (request, response) => {
    const partner = partnerOf(response, request.params.name);
    if (partner) response.json(await partner.dispatch(request.body));
  });
  router.post('/control/partners/:name/stock-status', async (request, response) => {
    const partner = partnerOf(response, request.params.name);
    if (partner) response.json(await partner.reportStock(request.body));
  });
  const isFile = (response: Response, name: string): boolean => {
    const isKnown = Object.hasOwn(PRINT_FILES, name);
    if (!isKnown) response.status(404).json({ error: `There is no print file ${name}` });
    return isKnown;
  };
  router.post('/control/files/:name/fault', (request, response) => {
    const { name } = request.params;
    const fault = isFile(response, name) ? checked(response, fileFaultSchema, request.body) : undefined;
    if (fault === undefined) return;
    faults.files.set(name, fault.status);
    response.json({ message: `${name} responds with ${fault.status}` });
  });
  router.delete('/control/files/:name/fault', (request, response) => {
    const { name } = request.params;
    if (!isFile(response, name)) return;
    faults.files.delete(name);
    response.json({ message: `${name} is sent` });
  });
  const isCarrier = (response: Response, uid: string): boolean => {
    const isKnown = sandbox.carrierUids.includes(uid);
    if (!isKnown) response.status(404).json({ error: `There is no carrier ${uid}` });
    return isKnown;
  };
  router.get('/control/carriers/:carrierUid/labels', (request, response) => {
    response.json({ refusal: faults.labels.get(request.params.carrierUid) ?? null });
  });
  router.post('/control/carriers/:carrierUid/label-fault', (request, response) => {
    const { carrierUid } = request.params;
    const fault = isCarrier(response, carrierUid) ? checked(response, labelFaultSchema, request.body) : undefined;
    if (fault === undefined) return;
    faults.labels.set(carrierUid, fault.message);
    response.json({ message: `${carrierUid} sells no labels` });
  });
  router.delete('/control/carriers/:carrierUid/label-fault', (request, response) => {
    const { carrierUid } = request.params;
    if (!isCarrier(response, carrierUid)) return;
    faults.labels.delete(carrierUid);
    response.json({ message: `${carrierUid} sells labels` });
  });
  router.post('/control/carriers/:carrierUid/events', async (request, response) => {
    const body = checked(response, eventsSchema, request.body);
    if (body) response.json(await carriers.send(request.params.carrierUid, body.events));
  });
  return router;
}
