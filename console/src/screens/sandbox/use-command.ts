import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Answer, call, type Input } from '../../api/call';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { texts } from '../../texts';

type Relayed = Answer<'sendSandboxPostback'>;

/** A command for the sandbox, which makes a call to the API of Pressline. */
interface Command {
  /** Says what is sent. */
  readonly what: string;
  readonly send: (idempotencyKey: string) => Promise<Relayed>;
}

/** Returns a function that sends a command, and how Pressline answered the last one. */
export function useCommand() {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: async ({ what, send }: Command) => {
      const { status, body } = await send(newIdempotencyKey());
      return { text: texts.sandbox.answered(what, status), accepted: status < 300, body };
    },
    onSettled: () => queries.invalidateQueries(),
  });
  return {
    send: mutation.mutate,
    isSending: (what: string) => mutation.isPending && mutation.variables.what === what,
    error: mutation.error,
    answer: mutation.data,
  };
}

export const sendPostback =
  (partnerName: string, body: Input<'sendSandboxPostback'>['body']) => (idempotencyKey: string) =>
    call('sendSandboxPostback', { params: { partnerName }, body }, { idempotencyKey });

export const requestDispatch = (partnerName: string, printOrderId: string) => (idempotencyKey: string) =>
  call('requestSandboxDispatch', { params: { partnerName }, body: { printOrderId } }, { idempotencyKey });

export const reportScan =
  (carrierUid: string, body: Input<'sendSandboxCarrierEvent'>['body']) => (idempotencyKey: string) =>
    call('sendSandboxCarrierEvent', { params: { carrierUid }, body }, { idempotencyKey });
