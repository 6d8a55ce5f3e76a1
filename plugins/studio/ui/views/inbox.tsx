import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import { Conversation } from '../model/conversation.ts'
import { useInbox, type InboxItem, type Reason } from '../model/inbox.ts'
import type { Live } from '../model/live.ts'
import { addressOf } from '../model/route.ts'
import type { Me, Server, StoreLetters } from '../model/server.ts'
import type { Sessions } from '../model/sessions.ts'
import { labelOf } from '../model/stores.ts'
import { withLetters } from '../model/use-store-letters.ts'
import { ago } from '../parts/ago.ts'
import { Icon } from '../parts/icons.tsx'
import { LoadProblem } from '../parts/load-problem.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { STRINGS } from '../strings.ts'
import { Chat } from './chat.tsx'
import '../styles/places.css'

/** The view of a store's dead letters. */
const DEAD_LETTERS = 'show=dead'

export interface InboxProps {
  readonly server: Server
  readonly me: Me
  readonly sessions: Sessions
  readonly live: Live
  readonly stores: readonly StoreLetters[]
  /** The one that is open beside the list. */
  readonly session: string | undefined
}

/** Everything that waits for a person, and the conversation of what is picked beside it. */
export function Inbox({ server, me, sessions, live, stores, session }: InboxProps): ReactNode {
  const { items, problem, refresh } = useInbox(server, sessions)
  const { inbox } = STRINGS
  const letters = withLetters(stores)
  const count = (items?.length ?? 0) + letters.length
  return (
    <div className="split" data-open={session !== undefined}>
      <section className="split-list" aria-labelledby="inbox-title">
        <header className="view-head">
          <h2 id="inbox-title">{inbox.title}</h2>
          {count > 0 && <b className="badge">{count}</b>}
        </header>
        <LoadProblem problem={problem} onRetry={refresh} />
        {!items && problem === undefined && <Skeleton />}
        {items && count === 0 && (
          <div className="empty">
            <Icon name="inbox" />
            <p>{inbox.empty}</p>
            <p className="muted">{inbox.emptyHint}</p>
          </div>
        )}
        <ul className="rows">
          {letters.map(({ name, letters: number }) => (
            <li key={name}>
              <a href={addressOf({ view: 'store', store: name, query: DEAD_LETTERS })}>
                <span className="title">{labelOf(name)}</span>
                <small className="mark-failed">{inbox.letters(number)}</small>
                <small className="about">{inbox.lettersHint}</small>
              </a>
            </li>
          ))}
          {items?.map((item) => (
            <Row key={item.session.id} item={item} isCurrent={item.session.id === session} />
          ))}
        </ul>
      </section>
      <div className="split-detail">
        {session === undefined ? (
          items && items.length > 0 && <p className="muted hint">{inbox.pick}</p>
        ) : (
          <OpenItem key={session} {...{ server, me, session, live }} />
        )}
      </div>
    </div>
  )
}

const REASONS: Readonly<Record<Reason, readonly [text: string, className: string]>> = {
  waits: [STRINGS.inbox.waits, 'mark-waiting'],
  set_aside: [STRINGS.inbox.setAside, 'mark-failed'],
  unclear: [STRINGS.inbox.unclear, 'mark-waiting'],
}

function Row({
  item: { session, reason },
  isCurrent,
}: {
  readonly item: InboxItem
  readonly isCurrent: boolean
}): ReactNode {
  const [text, className] = REASONS[reason]
  return (
    <li>
      <a
        href={addressOf({ view: 'inbox', session: session.id })}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span className="title">{session.title || STRINGS.untitled}</span>
        <small className={className}>{text}</small>
        <small className="when">{ago(session.updated_at)}</small>
        {session.set_aside && <small className="about">{session.set_aside.message}</small>}
      </a>
    </li>
  )
}

/** The conversation of an item: its question can be answered where it stands. */
function OpenItem({
  server,
  me,
  session,
  live: { events },
}: Pick<InboxProps, 'server' | 'me' | 'live'> & { readonly session: string }): ReactNode {
  const conversation = useMemo(() => new Conversation(server, session), [server, session])
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    void conversation.open()
    return () => conversation.close()
  }, [conversation])
  const news = events.find(
    ({ type, sessionId }) => type === 'session_updated' && sessionId === session,
  )?.seq
  useEffect(() => {
    if (news !== undefined) void conversation.refresh()
  }, [news, conversation])
  return (
    <>
      <header className="split-head">
        <a className="back" href={addressOf({ view: 'inbox', session: undefined })}>
          {STRINGS.inbox.back}
        </a>
        <a href={addressOf({ view: 'session', id: session, pane: 'trace' })}>
          {STRINGS.inbox.openSession}
        </a>
      </header>
      <Chat {...{ server, me, conversation, field }} agent={undefined} />
    </>
  )
}
