import {
  PageHost,
  type PageInfo,
  type PageList,
  type PageProblem,
} from '@amodal/plugin-pages/tokens'
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import type { Live } from '../model/live.ts'
import { addressOf, go, routeOf } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { useShownTheme } from '../model/shown-theme.ts'
import { Consent, type Question } from '../parts/consent.tsx'
import { DataSources } from '../parts/data-sources.tsx'
import { PageIcon } from '../parts/page-icon.tsx'
import { PageProblems } from '../parts/page-problems.tsx'
import '../styles/pages.css'
import '../styles/places.css'

export interface PageViewProps {
  readonly server: Server
  readonly list: PageList
  readonly page: PageInfo
  /** Of the address: parameters of the page. */
  readonly query: string
  readonly live: Live
}

/** A page of the agent, in a frame that sees nothing of the studio. */
export function PageView({ server, list, page, query, live }: PageViewProps): ReactNode {
  const { question, consent } = useConsent()
  const params = useMemo(() => paramsOf(page, query), [page, query])
  const { frame, attempt, shown, problem, isAnswering, began, restart } = useHost({
    ...{ server, page, params, live, consent },
  })
  const isStale = page.build !== undefined && shown !== page.build.hash
  return (
    <section className="page-view" aria-labelledby="page-title" data-shown={shown}>
      <header className="page-head">
        <h2 id="page-title">
          <PageIcon name={page.icon} />
          {page.title}
        </h2>
        {page.description !== undefined && <p className="muted">{page.description}</p>}
      </header>
      <DataSources server={server} page={page} events={live.events} />
      <PageProblems build={page.problems} runtime={problem} />
      {!isAnswering && (
        <p className="strip error" role="alert">
          <span>This page does not respond: its code may run in a loop.</span>
          <button type="button" className="link" onClick={restart}>
            Load it again
          </button>
        </p>
      )}
      {began !== undefined && (
        <p className="strip run" role="status">
          <span>The agent works on what this page asked for.</span>
          <a href={addressOf({ view: 'chat', session: began })}>Open the conversation</a>
        </p>
      )}
      {page.build ? (
        <iframe
          key={attempt}
          ref={frame}
          className="page-frame"
          title={page.title}
          src={list.frame}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          aria-busy={isStale}
        />
      ) : (
        <p className="muted hint">No version of this page could be built yet.</p>
      )}
      {question && <Consent question={question} page={page.title} />}
    </section>
  )
}

interface Hosted {
  readonly server: Server
  readonly page: PageInfo
  readonly params: Readonly<Record<string, string | number | boolean>>
  readonly live: Live
  readonly consent: ReturnType<typeof useConsent>['consent']
}

function useHost({ server, page, params, live, consent }: Hosted) {
  const frame = useRef<HTMLIFrameElement>(null)
  const host = useRef<PageHost>(undefined)
  const [attempt, setAttempt] = useState(0)
  const [shown, setShown] = useState('')
  const [problem, setProblem] = useState<PageProblem>()
  const [isAnswering, setAnswering] = useState(true)
  const [began, setBegan] = useState<string>()
  const theme = useShownTheme()
  const restart = useCallback(() => {
    setAnswering(true)
    setAttempt((now) => now + 1)
  }, [])
  const target = useRef({ page, params })
  target.current = { page, params }

  const hasBuild = page.build !== undefined
  useLayoutEffect(() => {
    if (!frame.current) return
    const pageHost = new PageHost({
      frame: frame.current,
      request: (path, init) => server.request(path, init),
      open: (href) => void open(href, consent),
      failed: setProblem,
      shown: (hash) => {
        setShown(hash)
        setProblem(undefined)
      },
      answering: setAnswering,
      invoke: (skill, text) => invoke(server, { skill, text }, consent, setBegan),
    })
    host.current = pageHost
    pageHost.setTheme(theme)
    pageHost.show(target.current.page, target.current.params)
    return () => pageHost.close()
  }, [server, attempt, hasBuild, consent])
  useEffect(() => host.current?.setTheme(theme), [theme])
  useEffect(() => host.current?.show(page, params), [page, params])

  // A page that hangs cannot load its next version: it gets a new frame.
  const hash = page.build?.hash
  const lastHash = useRef(hash)
  useEffect(() => {
    if (lastHash.current !== hash && !isAnswering) restart()
    lastHash.current = hash
  }, [hash])

  const { events } = live
  const lastSeq = useRef(events[0]?.seq ?? 0)
  useEffect(() => {
    const news = events.filter(({ seq }) => seq > lastSeq.current)
    lastSeq.current = events[0]?.seq ?? lastSeq.current
    const stores = news.flatMap(({ type, storeName }) =>
      type === 'store_updated' && typeof storeName === 'string' ? [storeName] : [],
    )
    for (const store of new Set(stores)) host.current?.changed(store)
  }, [events])
  return { frame, attempt, shown, problem, isAnswering, began, restart }
}

type Ask = ReturnType<typeof useConsent>['consent']

/** One question at a time; while one is open, the page gets no other. */
function useConsent() {
  const [question, setQuestion] = useState<Question>()
  const isOpen = useRef(false)
  const consent = useCallback((asking: Omit<Question, 'decide'>): Promise<boolean> => {
    if (isOpen.current) return Promise.resolve(false)
    isOpen.current = true
    return new Promise((resolve) => {
      setQuestion({
        ...asking,
        decide: (isAllowed) => {
          isOpen.current = false
          setQuestion(undefined)
          resolve(isAllowed)
        },
      })
    })
  }, [])
  return { question, consent }
}

/** A page asks on a click only, and what it asks is sent once the person has read it. */
async function invoke(
  server: Server,
  { skill, text }: { readonly skill: string; readonly text: string },
  consent: Ask,
  onBegan: (session: string | undefined) => void,
): Promise<{ readonly sessionId: string }> {
  if (!navigator.userActivation.isActive)
    throw new Error('a page can ask the agent on a click only')
  const isAllowed = await consent({
    title: 'asks the agent',
    text,
    note: `It uses the skill "${skill}", in a new conversation of yours.`,
    action: 'Send',
  })
  if (!isAllowed) throw new Error('it was not sent: the person at the page declined')
  let session: string | undefined
  for await (const event of server.send({ text: `${text}\n\nUse the skill "${skill}".` })) {
    if (event.type === 'init') {
      session = event.session_id
      onBegan(session)
    }
  }
  onBegan(undefined)
  if (session === undefined) throw new Error('the server began no conversation')
  return { sessionId: session }
}

/** Pages and stores open here; anything else is another site, and the person decides. */
async function open(href: string, consent: Ask): Promise<void> {
  if (/^#?\/(pages|stores|chat)\//.test(href)) return go(routeOf(href.replace(/^#?/, '#')))
  const url = URL.parse(href)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return
  const isAllowed = await consent({
    title: 'opens another site',
    text: url.href,
    note: 'The address may carry data of this page.',
    action: 'Open',
  })
  if (isAllowed) window.open(url.href, '_blank', 'noopener,noreferrer')
}

/** The parameters that a page declares, as the address has them. */
function paramsOf(
  page: PageInfo,
  query: string,
): Readonly<Record<string, string | number | boolean>> {
  const given = new URLSearchParams(query)
  return Object.fromEntries(
    Object.entries(page.context).flatMap(([name, type]) => {
      const text = given.get(name)
      return text === null ? [] : [[name, valueOf(text, type)]]
    }),
  )
}

function valueOf(text: string, type: 'string' | 'number' | 'boolean'): string | number | boolean {
  switch (type) {
    case 'string':
      return text
    case 'number':
      return Number(text)
    case 'boolean':
      return text === 'true' || text === '1'
    default:
      return type satisfies never
  }
}
