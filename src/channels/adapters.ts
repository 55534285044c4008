import type { AdapterDeps, ChannelAdapter } from './adapter';
import type { Channel, ChannelKind } from './channels';
import { csvAdapter } from './csv-adapter';
import { sftpAdapter } from './sftp-adapter';

const ADAPTERS: Readonly<Record<ChannelKind, (deps: AdapterDeps, channel: Channel) => ChannelAdapter>> = {
  csv: csvAdapter,
  sftp: sftpAdapter,
};

/** Returns the adapter of a channel. */
export const adapterOf = (deps: AdapterDeps, channel: Channel): ChannelAdapter => ADAPTERS[channel.kind](deps, channel);
