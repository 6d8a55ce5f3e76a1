import type { PendingAsk, SessionRow } from '@amodal/sdk'

/** What is sent, as JSON. */
export interface Notice {
  readonly type: 'input.requested'
  /** ISO time at which it was first sent. */
  readonly timestamp: string
  /** For a person. */
  readonly message: string
  readonly data: NoticeData
}

export interface NoticeData {
  readonly tenant: string
  readonly session_id: string
  readonly title: string
  /** Whose session it is: a person, or `automation:NAME`. */
  readonly principal: string
  readonly ask_id: string
  readonly pending_input_type: PendingAsk['type']
  readonly tool_name?: string
  readonly reason?: string
  /** ISO time after which an answer counts no more. */
  readonly expires_at?: string
  /** Opens the session in the studio. */
  readonly url?: string
}

/** @param publicUrl under which people reach the server */
export function noticeOf(
  ask: PendingAsk,
  row: Pick<SessionRow, 'session' | 'title' | 'principal'>,
  where: { readonly tenant: string; readonly publicUrl: string | undefined; readonly now: number },
): Notice {
  const { tool, reason } = ask.context
  const name = typeof tool === 'string' ? tool : undefined
  const url = where.publicUrl === undefined ? undefined : linkOf(where.publicUrl, row.session)
  const what = name === undefined ? WHAT[ask.type] : `${WHAT[ask.type]} (${name})`
  return {
    type: 'input.requested',
    timestamp: new Date(where.now).toISOString(),
    message: [`"${row.title}" waits for ${what}.`, url].filter(Boolean).join(' '),
    data: {
      tenant: where.tenant,
      session_id: row.session,
      title: row.title,
      principal: row.principal,
      ask_id: ask.id,
      pending_input_type: ask.type,
      ...(name !== undefined && { tool_name: name }),
      ...(typeof reason === 'string' && reason !== '' && { reason }),
      ...(ask.expires_at !== undefined && { expires_at: new Date(ask.expires_at).toISOString() }),
      ...(url !== undefined && { url }),
    },
  }
}

const WHAT: Readonly<Record<PendingAsk['type'], string>> = {
  approval: 'an approval',
  question: 'an answer',
  continue_or_finish: 'whether it goes on',
}

const linkOf = (publicUrl: string, session: string): string =>
  `${publicUrl.replace(/\/$/, '')}/studio#/chat/${encodeURIComponent(session)}`
