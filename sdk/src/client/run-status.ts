/** Where a run stands. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'awaiting_input',
  'complete',
  'error',
  'canceled',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]
