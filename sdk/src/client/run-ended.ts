import type { RunStatus } from './run-status.ts'

/**
 * Whether a run has ended, so that it never changes again.
 *
 * @example
 * const { status } = await client.runs.status(id)
 * if (!isRunEnded(status)) show('It still works.')
 */
export const isRunEnded = (status: RunStatus): boolean =>
  status === 'complete' || status === 'error' || status === 'canceled'
