import type { Artifact, ArtifactVersions, Citation } from '@amodal/sdk/client'
import { useCallback, type ReactNode } from 'react'
import { go, replace } from '../../model/route.ts'
import { saveFile } from '../../model/save-file.ts'
import type { Server } from '../../model/server.ts'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { useReport } from '../../views/use-report.ts'
import { moment } from '../decided.tsx'
import { Icon } from '../icons.tsx'
import { Raw } from '../json-view.tsx'
import { Markdown } from '../markdown.tsx'
import { Skeleton } from '../skeleton.tsx'
import { SourceDialog } from './source-dialog.tsx'

const text = RUN_STRINGS.artifacts

export interface ArtifactsProps {
  readonly server: Server
  /** Session of the run. */
  readonly run: string
  /** Changes where the run may have written something. */
  readonly news: string | number
  /** Of the address: artifact, version and citation that are open. */
  readonly query: string
}

/** What a run wrote: one artifact at a time, in any of its versions. Nothing where it wrote none. */
export function Artifacts({ server, run, news, query }: ArtifactsProps): ReactNode {
  const read = useCallback(() => server.runs.artifacts(run), [server, run, news])
  const { value: listed, problem } = useReport(read)
  const address = new URLSearchParams(query)
  const current = listed?.find(({ id }) => id === address.get('artifact')) ?? listed?.[0]
  if (problem === undefined && !current) return null
  return (
    <section className="run-artifacts" aria-labelledby="run-artifacts">
      <header className="run-head">
        <h3 id="run-artifacts">{text.title}</h3>
        {listed && listed.length > 1 && (
          <select
            aria-label={text.pick}
            value={current?.id}
            onChange={({ target }) =>
              go({
                view: 'run',
                id: run,
                query: queryOf({ artifact: target.value }),
              })
            }
          >
            {listed.map(({ id, title }) => (
              <option key={id} value={id}>
                {title || id}
              </option>
            ))}
          </select>
        )}
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {current && (
        <OpenArtifact
          key={current.id}
          {...{ server, run, address }}
          id={current.id}
          newest={current.version}
        />
      )}
    </section>
  )
}

/** The query of the address of a run. */
function queryOf(open: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(open)) if (value !== undefined) query.set(name, value)
  return query.toString()
}

function OpenArtifact({
  server,
  run,
  id,
  newest,
  address,
}: Pick<ArtifactsProps, 'server' | 'run'> & {
  readonly id: string
  /** The last version of this run: a later one is another run's. */
  readonly newest: number
  readonly address: URLSearchParams
}): ReactNode {
  const isOfAddress = address.get('artifact') === id
  const addressVersion = isOfAddress ? (address.get('version') ?? undefined) : undefined
  const version = Number(addressVersion ?? newest)
  const read = useCallback(
    () => server.runs.artifactVersions(id, { version }),
    [server, id, version],
  )
  const { value, problem } = useReport(read)
  const citation = value?.artifact.citations.find(
    (one) => isOfAddress && String(one.id) === address.get('citation'),
  )
  const at = { artifact: id, version: addressVersion }
  const open = (change: Readonly<Record<string, string | undefined>>): void =>
    go({ view: 'run', id: run, query: queryOf({ ...at, ...change }) })
  if (problem !== undefined)
    return (
      <p className="note error" role="alert">
        {problem}
      </p>
    )
  if (!value) return <Skeleton rows={4} />
  return (
    <>
      <ArtifactHead {...value} onVersion={(one) => open({ version: one })} />
      <Content artifact={value.artifact} />
      <Citations
        citations={value.artifact.citations}
        onOpen={(one) => open({ citation: String(one.id) })}
      />
      {citation && (
        <SourceDialog
          key={citation.id}
          server={server}
          session={value.artifact.session_id}
          citation={citation}
          onClose={() => replace({ view: 'run', id: run, query: queryOf(at) })}
        />
      )}
    </>
  )
}

function ArtifactHead({
  artifact,
  versions,
  onVersion,
}: ArtifactVersions & {
  readonly onVersion: (version: string) => void
}): ReactNode {
  return (
    <header className="run-artifact-head">
      <h4>{artifact.title || artifact.id}</h4>
      <span className="tag">{artifact.type}</span>
      {artifact.tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
      <span className="space" />
      {versions.length > 1 && (
        <label className="run-version">
          {text.version}
          <select value={artifact.version} onChange={({ target }) => onVersion(target.value)}>
            {versions.map(({ version, created_at: at }) => (
              <option key={version} value={version}>
                {text.versionOf(version, moment(at))}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="button" onClick={() => download(artifact)}>
        <Icon name="download" />
        {text.download}
      </button>
    </header>
  )
}

function download({ title, id, content_markdown: markdown, content_json: json }: Artifact): void {
  const name = title || id
  if (markdown !== null) saveFile(new Blob([markdown], { type: 'text/markdown' }), `${name}.md`)
  else
    saveFile(
      new Blob([JSON.stringify(json, undefined, 2)], {
        type: 'application/json',
      }),
      `${name}.json`,
    )
}

function Content({
  artifact: { content_markdown: markdown, content_json: json },
}: {
  readonly artifact: Artifact
}): ReactNode {
  if (markdown === null && json === null) return <p className="muted">{text.empty}</p>
  return (
    <>
      {markdown !== null && (
        <div className="run-content">
          <Markdown text={markdown} />
        </div>
      )}
      {json !== null && <Raw title={text.data} text={JSON.stringify(json)} />}
    </>
  )
}

function Citations({
  citations,
  onOpen,
}: {
  readonly citations: readonly Citation[]
  readonly onOpen: (citation: Citation) => void
}): ReactNode {
  const [first] = citations
  if (!first) return null
  return (
    <section aria-labelledby="run-citations">
      <h4 id="run-citations">{text.citations}</h4>
      <ol className="run-citations">
        {citations.map((citation) => (
          <li key={citation.id} value={citation.id}>
            <blockquote>{citation.quote}</blockquote>
            {citation.statement !== undefined && <p>{citation.statement}</p>}
            <p className="muted">
              <button type="button" className="link" onClick={() => onOpen(citation)}>
                {text.open}
                <span className="sr"> {citation.id}</span>
              </button>{' '}
              {originOf(citation)}
              {citation.url !== undefined && <Published url={citation.url} />}
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function originOf({ source }: Citation): string {
  if (source.kind === 'document') return source.document
  return source.tool ?? text.task
}

/** An address of the model: a link where it leads to the web, and a text otherwise. */
function Published({ url }: { readonly url: string }): ReactNode {
  const parsed = URL.parse(url)
  const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:'
  return (
    <>
      {' · '}
      {text.published}{' '}
      {isWeb ? (
        <a href={parsed.href} target="_blank" rel="noopener noreferrer nofollow">
          {url}
        </a>
      ) : (
        url
      )}
    </>
  )
}
