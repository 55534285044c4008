import { attention } from './attention';
import { catalog } from './catalog';
import { channels } from './channels';
import { clients } from './clients';
import { common } from './common';
import { keys } from './keys';
import { names } from './names';
import { order } from './order';
import { orders } from './orders';
import { outbox } from './outbox';
import { partners } from './partners';
import { receipts } from './receipts';
import { reports } from './reports';
import { sandbox } from './sandbox';
import { shipments } from './shipments';
import { stock } from './stock';
import { system } from './system';
import { team } from './team';
import { today } from './today';

/** The English texts of the console. A screen's texts are in the file of its name. */
export const texts = {
  common,
  names,
  attention,
  order,
  orders,
  today,
  keys,
  partners,
  clients,
  channels,
  team,
  sandbox,
  catalog,
  outbox,
  shipments,
  receipts,
  reports,
  stock,
  system,
} as const;
