import { attention } from './attention';
import { common } from './common';
import { names } from './names';
import { order } from './order';
import { orders } from './orders';
import { today } from './today';

/** The English texts of the console. A screen's texts are in the file of its name. */
export const texts = { common, names, attention, order, orders, today } as const;
