import { useCallback, useEffect, type ReactNode } from 'react'
import {
  documentNamed,
  documentsOf,
  type DocumentKind,
  type DocumentShown,
  type DocumentSummary,
} from '../model/documents.ts'
import type { Live } from '../model/live.ts'
import { addressOf } from '../model/route.ts'
import type { Me, Server } from '../model/server.ts'
import type { Sessions } from '../model/sessions.ts'
import { Icon } from '../parts/icons.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { AGENT_STRINGS } from './agent-strings.ts'
import { Proposals } from './proposals.tsx'
import { useReport } from './use-report.ts'
import '../styles/places.css'
import '../styles/agent.css'

export interface DocumentsProps {
  readonly server: Server
  readonly me: Me
  readonly live: Live
  readonly sessions: Sessions
  readonly kind: DocumentKind
  /** The one that is open beside the list. */
  readonly name: string | undefined
  /** Files of the agent are edited here. */
  readonly isEditable: boolean
}

/** Skills or knowledge: what there is, when the model has it, and the text of one. */
export function Documents(props: DocumentsProps): ReactNode {
  const { server, me, live, sessions, kind, name, isEditable } = props
  const ask = useCallback(() => documentsOf(server, kind), [server, kind])
  const { value, problem, refresh } = useReport(ask)
  const news = live.events.find(({ type }) => /^(files|manifest)_changed$/.test(type))?.seq
  useEffect(() => {
    if (news !== undefined) refresh()
  }, [news])
  const text = AGENT_STRINGS.documents
  return (
    <div className="split" data-open={name !== undefined}>
      <section className="split-list" aria-labelledby="documents-title">
        <header className="view-head">
          <h2 id="documents-title">{text.titles[kind]}</h2>
          <button type="button" className="quiet" onClick={refresh}>
            {text.refresh}
          </button>
        </header>
        {problem !== undefined && (
          <p className="note error" role="alert">
            {problem}
          </p>
        )}
        {!value && problem === undefined && <Skeleton />}
        {value?.length === 0 && (
          <div className="empty">
            <Icon name="file" />
            <p>{text.empty[kind]}</p>
            <p className="muted">{text.emptyHints[kind]}</p>
          </div>
        )}
        <ul className="rows">
          {value?.map((document) => (
            <Row
              key={`${document.name} ${document.file ?? ''}`}
              {...{ document, kind }}
              isCurrent={document.name === name}
            />
          ))}
        </ul>
      </section>
      <div className="split-detail">
        {name === undefined ? (
          <div className="view">
            {kind === 'knowledge' && (
              <Proposals {...{ server, me, sessions }} onDecided={refresh} />
            )}
            {value && value.length > 0 && <p className="muted hint">{text.pick[kind]}</p>}
          </div>
        ) : (
          <Detail
            key={`${name} ${news ?? ''}`}
            {...{ server, kind, name, isEditable }}
            summary={value?.find((one) => one.name === name)}
          />
        )}
      </div>
    </div>
  )
}

function Row({
  document,
  kind,
  isCurrent,
}: {
  readonly document: DocumentSummary
  readonly kind: DocumentKind
  readonly isCurrent: boolean
}): ReactNode {
  const { chars, description, file, loaded, name, problems, title } = document
  const text = AGENT_STRINGS.documents
  const about = kind === 'skills' ? description : (file ?? text.approved)
  return (
    <li>
      <a href={addressOf({ view: kind, name })} aria-current={isCurrent ? 'page' : undefined}>
        <span className="title">{title ?? name}</span>
        <small className="when">{text.size(chars)}</small>
        {problems.length > 0 ? (
          <Status tone="warn">{text.problems(problems.length)}</Status>
        ) : (
          <small>{loaded && text.loaded[loaded]}</small>
        )}
        <small className="about">{about}</small>
      </a>
    </li>
  )
}

function Detail({
  server,
  kind,
  name,
  isEditable,
  summary,
}: Pick<DocumentsProps, 'server' | 'kind' | 'isEditable'> & {
  readonly name: string
  readonly summary: DocumentSummary | undefined
}): ReactNode {
  const text = AGENT_STRINGS.documents
  // Of one that people approved for a tenant there is no file to read.
  const isStored = summary?.file === null
  const ask = useCallback(
    async () => (isStored ? undefined : documentNamed(server, kind, name)),
    [server, kind, name, isStored],
  )
  const { value, problem } = useReport(ask)
  return (
    <section className="view" aria-labelledby="document-title">
      <header className="view-head">
        <h2 id="document-title">{value?.title ?? name}</h2>
        <a className="back" href={addressOf({ view: kind, name: undefined })}>
          {text.back[kind]}
        </a>
        {isEditable && value && value.file !== null && (
          <a
            className="edit"
            href={addressOf({ view: 'configure', session: undefined, file: value.file })}
          >
            {text.edit}
          </a>
        )}
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {isStored && <p className="muted">{text.storedHint}</p>}
      {!value && !isStored && problem === undefined && <Skeleton />}
      {value && <Text document={value} loaded={summary?.loaded} />}
    </section>
  )
}

function Text({
  document,
  loaded,
}: {
  readonly document: DocumentShown
  readonly loaded: DocumentSummary['loaded']
}): ReactNode {
  const text = AGENT_STRINGS.documents
  const { allowed_tools: tools, chars, compatibility, description, file, tags, trigger } = document
  const facts: readonly (readonly [string, ReactNode])[] = [
    [text.file, file !== null && <code>{file}</code>],
    [text.sizeTitle, text.size(chars)],
    [text.when, loaded && text.loaded[loaded]],
    [text.description, description],
    [text.trigger, trigger],
    [text.needs, compatibility],
    [text.tools, tools?.join(', ')],
    [text.tags, tags?.join(', ')],
  ]
  return (
    <>
      {document.problems.map(({ code, line, message, severity }) => (
        <p key={`${code} ${line ?? ''} ${message}`} className={`note ${severity}`}>
          {line !== undefined && `${text.line} ${line}: `}
          {message} <code>{code}</code>
        </p>
      ))}
      <dl className="facts">
        {facts.map(
          ([title, fact]) =>
            fact !== undefined &&
            fact !== '' &&
            fact !== false && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{fact}</dd>
              </div>
            ),
        )}
      </dl>
      <article className="document-text" aria-labelledby="document-text-title">
        <h3 id="document-text-title" className="sr">
          {text.text}
        </h3>
        <Markdown text={document.text} />
      </article>
    </>
  )
}
