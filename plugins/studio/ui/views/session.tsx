import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { branch } from '../model/branch.ts'
import { Conversation } from '../model/conversation.ts'
import type { Live } from '../model/live.ts'
import { addressOf, go, type Route } from '../model/route.ts'
import { problemOf, type Me, type Server } from '../model/server.ts'
import type { TraceRow } from '../model/trace.ts'
import { SessionStatus } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Trace } from '../parts/trace/trace.tsx'
import { STRINGS } from '../strings.ts'
import { Chat } from './chat.tsx'
import { EvalOutcome, type Outcome } from './eval-outcome.tsx'
import { useReport } from './use-report.ts'
import '../styles/places.css'

export interface SessionProps {
  readonly server: Server
  readonly me: Me
  readonly live: Live
  readonly route: Extract<Route, { readonly view: 'session' }>
}

/** One session as a page: what it did, and what was said. */
export function Session({ server, me, live, route }: SessionProps): ReactNode {
  const { id, pane, entry } = route
  const text = STRINGS.session
  const ask = useCallback(() => server.session(id), [server, id])
  const { value, problem, refresh } = useReport(ask)
  const news = live.events.find(
    ({ type, sessionId }) => type === 'session_updated' && sessionId === id,
  )?.seq
  useEffect(() => {
    if (news !== undefined) refresh()
  }, [news])
  const select = useCallback(
    (key: string | undefined) =>
      go({ view: 'session', id, pane: 'trace', ...(key !== undefined && { entry: key }) }),
    [id],
  )
  return (
    <div className="session-page">
      <header className="page-head">
        <a href={addressOf({ view: 'sessions', query: '' })}>{text.all}</a>
        <h2>{value?.title || STRINGS.untitled}</h2>
        {value && <SessionStatus session={value} />}
        <a className="button" href={addressOf({ view: 'chat', session: id })}>
          {text.openChat}
        </a>
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {problem === undefined && (
        <>
          <Tabs
            label={text.panes}
            name="session"
            tabs={[
              { key: 'trace', title: text.trace },
              { key: 'chat', title: text.conversation },
            ]}
            current={pane}
            onPick={(next) => go({ view: 'session', id, pane: next })}
          />
          <div
            className="session-pane"
            role="tabpanel"
            id={`session-${pane}`}
            aria-labelledby={`session-${pane}-tab`}
          >
            {pane === 'trace' ? (
              <TracePane {...{ server, live, id, entry }} onSelect={select} />
            ) : (
              <ChatPane {...{ server, me, live, id, news }} />
            )}
          </div>
        </>
      )}
    </div>
  )
}

function TracePane({
  server,
  live,
  id,
  entry,
  onSelect,
}: Pick<SessionProps, 'server' | 'live'> & {
  readonly id: string
  readonly entry: string | undefined
  readonly onSelect: (key: string | undefined) => void
}): ReactNode {
  const [outcome, setOutcome] = useState<Outcome>()
  const [failure, setFailure] = useState<string>()
  const attempt = useCallback((work: Promise<unknown>) => {
    setFailure(undefined)
    work.catch((cause: unknown) => setFailure(problemOf(cause)))
  }, [])
  const fork = useCallback(
    ({ session, seq }: TraceRow) => attempt(branch(server, { session, at: seq })),
    [server, attempt],
  )
  const promote = useCallback(
    ({ session }: TraceRow) => attempt(server.promote(session).then(setOutcome)),
    [server, attempt],
  )
  const replay = useCallback(
    ({ session }: TraceRow) => attempt(server.replay(session).then(setOutcome)),
    [server, attempt],
  )
  return (
    <>
      {failure !== undefined && (
        <p className="note error" role="alert">
          {failure}
        </p>
      )}
      <Trace
        {...{ server, live, onSelect }}
        session={id}
        selected={entry}
        onOpen={(session) => go({ view: 'session', id: session, pane: 'trace' })}
        onFork={fork}
        onPromote={promote}
        onReplay={replay}
      />
      {outcome && <EvalOutcome outcome={outcome} onClose={() => setOutcome(undefined)} />}
    </>
  )
}

function ChatPane({
  server,
  me,
  id,
  news,
}: Pick<SessionProps, 'server' | 'me' | 'live'> & {
  readonly id: string
  readonly news: number | undefined
}): ReactNode {
  const conversation = useMemo(() => new Conversation(server, id), [server, id])
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    void conversation.open()
    return () => conversation.close()
  }, [conversation])
  useEffect(() => {
    if (news !== undefined) void conversation.refresh()
  }, [news, conversation])
  return <Chat {...{ server, me, conversation, field }} agent={undefined} />
}
