import type { SessionSummary } from '@amodal/sdk/client'

/** A line for each session, with the number that `/resume` accepts. */
export const sessionLines = (
  sessions: readonly SessionSummary[],
  current: string | undefined,
): readonly string[] =>
  sessions.map(
    ({ id, title }, at) =>
      `${String(at + 1).padStart(4)}. ${title} (${id})${id === current ? ', this one' : ''}`,
  )
