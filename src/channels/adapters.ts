import type { AdapterDeps, ChannelAdapter } from './adapter';
import type { Channel, ChannelKind } from './channels';
import { csvAdapter } from './csv-adapter';

const ADAPTERS: Readonly<Record<ChannelKind, (deps: AdapterDeps, channel: Channel) => ChannelAdapter>> = {
  csv: csvAdapter,
};

/** Returns the adapter of a channel. */
export const adapterOf = (deps: AdapterDeps, channel: Channel): ChannelAdapter => ADAPTERS[channel.kind](deps, channel);
