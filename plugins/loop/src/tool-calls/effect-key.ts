import type { CallId, RunId } from '@amodal/sdk'

/** The idempotency key of a call: the same for every attempt. */
export const effectKeyOf = (run: RunId, call: CallId): string => `${run}:${call}`
