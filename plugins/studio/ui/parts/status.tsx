import type { ReactNode } from 'react'
import type { SessionSummary } from '@amodal/sdk/client'
import { isWaiting } from '../model/sessions.ts'
import { STRINGS } from '../strings.ts'

/** What a colour means: done, waits for a person, runs, failed, everything else. */
export type Tone = 'good' | 'warn' | 'run' | 'bad' | 'none'

export const Status = ({
  tone,
  title,
  children,
}: {
  readonly tone: Tone
  readonly title?: string | undefined
  readonly children: ReactNode
}): ReactNode => (
  <span className={`status ${tone}`} title={title}>
    {children}
  </span>
)

/** The state of a session in one word. */
export function SessionStatus({ session }: { readonly session: SessionSummary }): ReactNode {
  const { status } = STRINGS.sessions
  if (isWaiting(session)) return <Status tone="warn">{status.waits}</Status>
  if (session.set_aside)
    return (
      <Status tone="bad" title={session.set_aside.message}>
        {status.setAside}
      </Status>
    )
  if (session.standing === 'running') return <Status tone="run">{status.running}</Status>
  if ((session.unknown_effects ?? 0) > 0) return <Status tone="warn">{status.unclear}</Status>
  if (session.failed === true)
    return (
      <Status tone="bad" title={session.last_end?.message}>
        {status.failed}
      </Status>
    )
  if (session.status === 'expired') return <Status tone="none">{status.expired}</Status>
  return session.last_end ? (
    <Status tone="good">{status.done}</Status>
  ) : (
    <Status tone="none">{status.open}</Status>
  )
}
