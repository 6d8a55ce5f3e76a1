import type { ReactNode } from 'react'
import { compactText } from '../../model/format.ts'
import { bytesText } from '../../model/trace-rows.ts'
import type { Sent, SentSection } from '../../model/trace.ts'
import { TRACE } from './trace-strings.ts'

/** Colours of plugins; their names stand beside them. */
const COLOURS = 6

type Available = Extract<Sent, { available: true }>

/** What was sent to the model, by the plugin and the files that it came from. */
export function SentView({ sent }: { readonly sent: Sent }): ReactNode {
  return (
    <section className="trace-sent">
      <h4>{TRACE.sent}</h4>
      {sent.available ? <Parts sent={sent} /> : <Unavailable sent={sent} />}
    </section>
  )
}

function Unavailable({
  sent: { why, made_of: parts },
}: {
  readonly sent: Extract<Sent, { available: false }>
}): ReactNode {
  return (
    <>
      <p className="muted">{why}</p>
      <dl className="trace-facts">
        {Object.entries(parts).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function Parts({ sent }: { readonly sent: Available }): ReactNode {
  const plugins = [...new Set(sent.sections.map(({ plugin }) => plugin))]
  const colour = (plugin: string): string => `trace-c${plugins.indexOf(plugin) % COLOURS}`
  return (
    <>
      {sent.withheld === true && <p className="muted">{TRACE.withheld}</p>}
      <p>
        {TRACE.prompt} · {bytesText(sent.prompt_bytes)}
      </p>
      <div className="trace-shares" aria-hidden="true">
        {sent.sections.map(({ id, plugin, bytes }) => (
          <i key={id} className={colour(plugin)} style={{ flexGrow: bytes }} />
        ))}
      </div>
      <ul className="trace-sections">
        {sent.sections.map((section) => (
          <li key={section.id} className={colour(section.plugin)}>
            <Section section={section} prompt={sent.prompt} />
          </li>
        ))}
      </ul>
      <p>
        {TRACE.messages} · {sent.messages.length}
      </p>
      <ul className="trace-messages">
        {sent.messages.map(({ role, plugin, chars }, at) => (
          <li key={at}>
            <span>{role}</span> <span className="muted">{plugin}</span>{' '}
            <span className="align-right">{compactText(chars)}</span>
          </li>
        ))}
      </ul>
      {sent.tools.length > 0 && (
        <details>
          <summary>
            {TRACE.tools} · {sent.tools.length}
          </summary>
          <p className="trace-tools">{sent.tools.join(', ')}</p>
        </details>
      )}
    </>
  )
}

function Section({
  section: { title, id, plugin, at, bytes, chars, parts, changed_by: changed = [] },
  prompt,
}: {
  readonly section: SentSection
  readonly prompt: string | undefined
}): ReactNode {
  const files = parts.flatMap(({ file }) => file ?? [])
  const text = at === null || prompt === undefined ? undefined : prompt.slice(at, at + chars)
  return (
    <details>
      <summary>
        <i aria-hidden="true" />
        <span className="trace-text">{title === '' ? id : title}</span>
        <span className="muted">{plugin}</span>
        <span className="align-right">{bytesText(bytes)}</span>
      </summary>
      {files.length > 0 && <p className="muted">{files.join(', ')}</p>}
      {changed.length > 0 && (
        <p className="muted">
          {TRACE.changed}: {changed.join(', ')}
        </p>
      )}
      {text !== undefined && (
        <pre tabIndex={0} aria-label={title === '' ? id : title}>
          <code>{text}</code>
        </pre>
      )}
    </details>
  )
}
