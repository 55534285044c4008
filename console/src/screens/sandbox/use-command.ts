import { type Change, useChange } from '../../api/changes';
import type { ApiResponse } from '../../api/types';

export type Relayed = ApiResponse<'sendSandboxPostback'>;

/** A command for the sandbox, which makes a call to the API of Pressline. */
interface Command {
  /** Says what is sent. */
  readonly what: string;
  readonly change: Change<Relayed>;
}

/** Returns a function that sends a command, and how Pressline responded to the last one. */
export function useCommand() {
  const { mutate, isPending, variables, data, error } = useChange(({ change }: Command) => change);
  return {
    send: (command: Command) => mutate(command),
    isSending: (what: string) => isPending && variables.what === what,
    error,
    last: variables === undefined || data === undefined ? undefined : { ...variables, response: data },
  };
}
