import type { Client } from '@temporalio/client';
import type { Carriers } from '../src/carriers/carriers';
import type { Config } from '../src/platform/config';
import type { Logger } from '../src/platform/logging';
import type { ObjectStore } from '../src/platform/objects/object-store';
import type { LinkSigner } from '../src/platform/objects/signed-links';
import type { Sql } from '../src/platform/postgres';

/** What the routes work with; one set for each API process. */
export interface ApiDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly links: LinkSigner;
  readonly carriers: Carriers;
  /** Address under which the API is reached from outside, without a slash at the end. */
  readonly publicUrl: string;
  /** Connects lazily, so that the API serves what needs no Temporal while it is away. */
  readonly temporal: Client;
}
