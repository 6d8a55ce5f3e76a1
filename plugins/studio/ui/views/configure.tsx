import {
  useCallback,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
} from 'react'
import { secretsIn, type Admin, type RelatedEvals } from '../model/admin.ts'
import type { Conversation } from '../model/conversation.ts'
import type { Live } from '../model/live.ts'
import { addressOf } from '../model/route.ts'
import type { Me } from '../model/server.ts'
import { ago } from '../parts/ago.ts'
import { AgentFiles } from '../parts/agent-files.tsx'
import { AgentSecrets } from '../parts/agent-secrets.tsx'
import { ChangesPanel } from '../parts/changes.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Chat, Starts } from './chat.tsx'
import { useReport } from './use-report.ts'
import '../styles/configure.css'

const TITLES = {
  chat: 'Chat',
  changes: 'Changes',
  files: 'Files',
  secrets: 'Secrets',
} as const
type Tab = keyof typeof TITLES

const NARROW = '(max-width: 1000px)'

const STARTS = [
  {
    title: 'What is in this agent?',
    about: 'Its files, and what each of them does.',
    text: 'Look at the files of this agent, and tell me what it does.',
  },
  {
    title: 'Write an eval',
    about: 'A case that says whether an answer is good.',
    text: 'Write an eval for what this agent does most.',
  },
] as const

export interface ConfigureProps {
  readonly admin: Admin
  readonly me: Me
  readonly conversation: Conversation
  readonly live: Live
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** The file that is open, as the address says. */
  readonly file: string | undefined
}

/** The agent is changed by talking: the conversation, and beside it what it proposes. */
export function Configure(props: ConfigureProps): ReactNode {
  const { admin, me, conversation, live, field, file } = props
  const isNarrow = useIsNarrow()
  const [tab, setTab] = useState<Tab>(file === undefined ? 'chat' : 'files')
  const [evals, setEvals] = useState<RelatedEvals>()
  const [stored, setStored] = useState<ReadonlySet<string>>(new Set())
  const { items, session, state } = useSyncExternalStore(
    useCallback((listener) => conversation.subscribe(listener), [conversation]),
    () => conversation.snapshot,
  )
  const {
    value: changes,
    problem,
    refresh,
  } = useReport(useCallback(() => admin.changes(), [admin]))
  const calls = items.filter((item) => item.kind === 'call' && item.status !== 'running').length
  const news = live.events.find(({ type }) => /^(files|manifest)_changed$/.test(type))?.seq
  useEffect(() => refresh(), [calls, state, session, news])

  const shown = !isNarrow && tab === 'chat' ? 'changes' : tab
  const keys = (Object.keys(TITLES) as Tab[]).filter((key) => isNarrow || key !== 'chat')
  const needed = secretsIn(changes?.proposed ?? [])
  const counts: Partial<Record<Tab, number>> = {
    changes: changes?.proposed.reduce((sum, { files }) => sum + files.length, 0) ?? 0,
    secrets: needed.filter(({ name }) => !stored.has(name)).length,
  }
  const panel = { role: 'tabpanel', id: `configure-${shown}` } as const
  return (
    <section className="configure" aria-label="Configure the agent" data-tab={shown}>
      <div
        className="configure-chat"
        hidden={isNarrow && shown !== 'chat'}
        {...(isNarrow && {
          role: 'tabpanel',
          id: 'configure-chat',
          'aria-labelledby': 'configure-chat-tab',
        })}
      >
        {session !== undefined && (
          <p className="bar-line">
            <span className="muted">Changes are proposed; you accept them.</span>
            <a href={addressOf({ view: 'configure', session: undefined })}>New conversation</a>
          </p>
        )}
        <Chat
          {...{ me, conversation, field }}
          server={admin.server}
          agent={undefined}
          admin={{
            placeholder: 'Describe what the agent should do',
            welcome: (pick) => <Welcome admin={admin} onPick={pick} />,
          }}
        />
      </div>
      <div className="configure-panel">
        <Tabs
          label="Configure"
          name="configure"
          tabs={keys.map((key) => ({
            key,
            title: TITLES[key],
            count: counts[key] ?? 0,
          }))}
          current={shown}
          onPick={setTab}
        />
        {shown !== 'chat' && (
          <div className="panel-body" aria-labelledby={`configure-${shown}-tab`} {...panel}>
            {shown === 'changes' && problem !== undefined && (
              <p className="note error" role="alert">
                {problem}
              </p>
            )}
            {shown === 'changes' && changes && (
              <ChangesPanel
                {...{ admin, changes, session, evals }}
                onEvals={setEvals}
                onDone={refresh}
              />
            )}
            {shown === 'files' && <AgentFiles key={file} {...{ admin, news, file }} />}
            {shown === 'secrets' && (
              <AgentSecrets
                {...{ admin, needed, stored, news }}
                onStored={(name) => setStored((names) => new Set(names).add(name))}
              />
            )}
          </div>
        )}
      </div>
    </section>
  )
}

function Welcome({
  admin,
  onPick,
}: {
  readonly admin: Admin
  readonly onPick: (text: string) => void
}): ReactNode {
  const { value: earlier = [] } = useReport(useCallback(() => admin.conversations(), [admin]))
  return (
    <section className="welcome">
      <h2>Configure the agent</h2>
      <p>
        Say in your words what it should do. Its files are written for you, and you see each line
        before anything changes.
      </p>
      <Starts starts={STARTS} onPick={onPick} />
      {earlier.length > 0 && (
        <nav className="earlier" aria-labelledby="earlier-title">
          <h3 id="earlier-title">Earlier conversations</h3>
          <ul>
            {earlier.map(({ id, title, updated_at: at }) => (
              <li key={id}>
                <a href={addressOf({ view: 'configure', session: id })}>
                  {title === '' ? 'Untitled' : title}
                </a>
                <time dateTime={at} title={at}>
                  {ago(at)}
                </time>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </section>
  )
}

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    useCallback((listener) => {
      const query = matchMedia(NARROW)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    }, []),
    () => matchMedia(NARROW).matches,
  )
}
