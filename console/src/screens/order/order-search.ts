import * as z from 'zod/mini';
import { keyOf } from '../../routing/search-params';
import { texts } from '../../texts';

/** What the timeline shows: everything, or entries of one kind. Absent: each thing that happened once. */
export const orderSearch = z.object({ timeline: keyOf(texts.order.timeline.kinds, { all: null }) });
