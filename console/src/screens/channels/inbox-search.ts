import * as z from 'zod/mini';
import { keyOf, text } from '../../routing/search-params';
import * as texts from '../../texts';

/** The filter of the inbox. */
export const inboxSearch = z.object({ reason: keyOf(texts.channels.reasons), channelId: text });
