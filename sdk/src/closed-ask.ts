import type { Code } from '@amodal/kernel'

/** Whether an answer was refused because its question is not open: unknown, answered or expired. */
export const isClosedAsk = (code: Code): boolean =>
  code === 'ASK_NOT_FOUND' || code === 'ASK_SETTLED' || code === 'ASK_EXPIRED'
