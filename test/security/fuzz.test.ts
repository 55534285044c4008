import { campaignTests } from '../fuzz/campaign-tests';

/** The short form of the fuzz, with every run of the tests; the same requests each time. */
campaignTests({ requests: 1_000, seed: 1, watched: false });
