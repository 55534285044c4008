import { campaignTests } from './campaign-tests';

/** The long form: `npm run fuzz` says how many requests and which seed. */
campaignTests({
  requests: Number(process.env.FUZZ_REQUESTS ?? 5_000),
  seed: Number(process.env.FUZZ_SEED ?? 1),
  watched: process.env.FUZZ_REQUESTS !== undefined,
});
