import { useCallback, useState, type ReactNode } from 'react'
import type { ContextReport, Server } from '../model/server.ts'
import { useReport } from './use-report.ts'

const COLOURS = 7

/** What the model is sent, what each part of it costs, and who put it there. */
export function Context({
  server,
  session,
}: {
  readonly server: Server
  readonly session: string | undefined
}): ReactNode {
  const {
    value: report,
    problem,
    refresh,
  } = useReport(useCallback(() => server.context(), [server]))
  return (
    <section className="view" aria-labelledby="context-title">
      <header className="view-head">
        <h2 id="context-title">Context</h2>
        <button type="button" onClick={refresh}>
          Refresh
        </button>
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {report && <Report report={report} />}
      {session !== undefined && <LastSent server={server} session={session} />}
    </section>
  )
}

function Report({ report }: { readonly report: ContextReport }): ReactNode {
  const {
    token_usage: { total, used, remaining, sectionBreakdown },
    contributions,
    tools,
    connections,
    system_prompt: prompt,
  } = report
  const categories = Object.entries(sectionBreakdown).filter(([, tokens]) => tokens > 0)
  const share = (tokens: number): string =>
    `${((tokens / total) * 100).toFixed(tokens / total < 0.01 ? 2 : 1)} %`
  return (
    <>
      <p className="muted">
        {report.model === null ? 'No model' : `${report.provider ?? ''} / ${report.model}`}
        {report.notice !== undefined && `: ${report.notice}`}
      </p>
      <div className="budget">
        <p>
          <strong>{used.toLocaleString()}</strong> of {total.toLocaleString()} tokens before the
          first message ({share(used)}); {Math.max(0, remaining).toLocaleString()} are free
        </p>
        <div className="bar" role="img" aria-label={`${share(used)} of the window used`}>
          <i className="used" style={{ flexBasis: `${Math.min(100, (used / total) * 100)}%` }} />
        </div>
        <div className="bar parts" role="img" aria-label="What is used, by its parts">
          {categories.map(([category, tokens], at) => (
            <i
              key={category}
              className={`c${at % COLOURS}`}
              style={{ flexGrow: tokens }}
              title={`${category}: ${tokens.toLocaleString()}`}
            />
          ))}
        </div>
        <ul className="legend">
          {categories.map(([category, tokens], at) => (
            <li key={category}>
              <i className={`c${at % COLOURS}`} />
              {category} <span className="muted">{tokens.toLocaleString()}</span>
            </li>
          ))}
        </ul>
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label="Parts">
        <table>
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">Kind</th>
              <th scope="col">From</th>
              <th scope="col" className="align-right">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {contributions
              .toSorted((a, b) => b.tokens - a.tokens)
              .map(({ name, category, tokens, plugin, filePath }, at) => (
                <tr key={at}>
                  <td>{name}</td>
                  <td>{category}</td>
                  <td className="muted">{filePath ?? plugin}</td>
                  <td className="align-right">{tokens.toLocaleString()}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      <details>
        <summary>
          System prompt <span className="muted">{prompt.length.toLocaleString()} characters</span>
        </summary>
        <Prompt report={report} />
      </details>
      <details>
        <summary>
          Tools <span className="muted">{tools.length}</span>
        </summary>
        <dl className="tool-list">
          {tools.map(({ name, description, read_only: reads }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
                {!reads && <span className="tag">writes</span>}
              </dt>
              <dd>{description.split('\n')[0]}</dd>
            </div>
          ))}
        </dl>
      </details>
      {connections.length > 0 && (
        <details>
          <summary>
            Connections <span className="muted">{connections.length}</span>
          </summary>
          <dl className="tool-list">
            {connections.map(({ name, kind, status, error }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                  <span className="tag">{kind}</span>
                </dt>
                <dd>
                  {status}
                  {error !== undefined && `: ${error}`}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  )
}

/** The prompt in pieces, each with the plugin that put it there. */
function Prompt({
  report: { system_prompt: prompt, segments },
}: {
  readonly report: ContextReport
}): ReactNode {
  const placed = segments.flatMap((segment) =>
    segment.at === null ? [] : [{ ...segment, at: segment.at }],
  )
  return placed.length === 0 ? (
    <pre tabIndex={0}>{prompt}</pre>
  ) : (
    <div className="prompt">
      {placed.map(({ id, plugin, at, chars }) => (
        <figure key={`${id}-${at}`}>
          <figcaption>
            {id} <span className="muted">{plugin}</span>
          </figcaption>
          <pre tabIndex={0}>{prompt.slice(at, at + chars)}</pre>
        </figure>
      ))}
    </div>
  )
}

/** The last call of a model for the session that is open. */
function LastSent({
  server,
  session,
}: {
  readonly server: Server
  readonly session: string
}): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Sent last in the open session</summary>
      {isOpen && <Sent server={server} session={session} />}
    </details>
  )
}

function Sent({
  server,
  session,
}: {
  readonly server: Server
  readonly session: string
}): ReactNode {
  const { value, problem } = useReport(useCallback(() => server.sent(session), [server, session]))
  if (problem !== undefined) return <p className="muted">{problem}</p>
  if (!value) return null
  return (
    <>
      <p className="muted">
        {new Date(value.at).toLocaleString()} · step {value.step} · {value.provider} / {value.model}{' '}
        · {value.tools.length} tools
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Message</th>
            <th scope="col">From</th>
            <th scope="col" className="align-right">
              Characters
            </th>
          </tr>
        </thead>
        <tbody>
          {value.messages.map(({ role, plugin, chars }, at) => (
            <tr key={at}>
              <td>{role}</td>
              <td className="muted">{plugin}</td>
              <td className="align-right">{chars.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
