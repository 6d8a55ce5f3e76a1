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

/** How a run ended. */
export type EndedRunStatus = Extract<RunStatus, 'complete' | 'error' | 'canceled'>

/**
 * Whether a run has ended, so that it never changes again.
 *
 * @example
 * const { status } = await client.runs.status(id)
 * if (!isRunEnded(status)) show('It still works.')
 */
export const isRunEnded = (status: RunStatus): status is EndedRunStatus =>
  status === 'complete' || status === 'error' || status === 'canceled'
