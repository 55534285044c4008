import { attention } from './attention';
import { clients } from './clients';
import { common } from './common';
import { keys } from './keys';
import { names } from './names';
import { order } from './order';
import { orders } from './orders';
import { partners } from './partners';
import { sandbox } from './sandbox';
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
  team,
  sandbox,
} as const;
