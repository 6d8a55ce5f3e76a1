import { useCallback, useEffect, useMemo, useRef, type ReactNode } from 'react'
import { Conversation } from '../model/conversation.ts'
import type { Live } from '../model/live.ts'
import { addressOf } from '../model/route.ts'
import type { Me, Server } from '../model/server.ts'
import { SessionStatus } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import { Chat } from './chat.tsx'
import { useReport } from './use-report.ts'

export interface SessionProps {
  readonly server: Server
  readonly me: Me
  readonly live: Live
  readonly id: string
}

/** One session as a page. */
export function Session({ server, me, live: { events }, id }: SessionProps): ReactNode {
  const conversation = useMemo(() => new Conversation(server, id), [server, id])
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    void conversation.open()
    return () => conversation.close()
  }, [conversation])
  const ask = useCallback(() => server.session(id), [server, id])
  const { value, problem, refresh } = useReport(ask)
  const news = events.find(
    ({ type, sessionId }) => type === 'session_updated' && sessionId === id,
  )?.seq
  useEffect(() => {
    if (news === undefined) return
    refresh()
    void conversation.refresh()
  }, [news, conversation])
  return (
    <div className="session-page">
      <header className="page-head">
        <a href={addressOf({ view: 'sessions', query: '' })}>{STRINGS.session.all}</a>
        <h2>{value?.title || STRINGS.untitled}</h2>
        {value && <SessionStatus session={value} />}
        <a className="button" href={addressOf({ view: 'chat', session: id })}>
          {STRINGS.session.openChat}
        </a>
      </header>
      {problem === undefined ? (
        <Chat {...{ server, me, conversation, field }} agent={undefined} />
      ) : (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
