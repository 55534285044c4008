import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import type { Option } from '../forms/select';

/** Clients that a filter offers. The address takes the id of any client. */
const CLIENTS = 250;

/** Returns the clients as options. */
export function useClientOptions(): Option<string>[] {
  const query = useQuery({
    ...read('listClients', { query: { limit: CLIENTS } }),
    refetchInterval: false,
  });
  return (query.data?.connectors ?? []).map(({ id, name }) => ({ value: id, label: name }));
}

/** Returns the print partners as options. */
export function usePartnerOptions(): Option<string>[] {
  const query = useQuery({ ...read('listPartners', {}), refetchInterval: false });
  return (query.data?.partners ?? []).map(({ id, uid }) => ({ value: id, label: uid }));
}
