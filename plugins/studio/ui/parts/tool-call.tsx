import { memo, useState, type ReactNode } from 'react'
import { durationText } from '../model/format.ts'
import { plain, type Call } from '../model/timeline.ts'
import { Icon } from './icons.tsx'
import { Raw } from './json-view.tsx'
import { requestLine } from './request-line.ts'

const STATES: Readonly<Record<Call['status'], string>> = {
  running: 'running',
  waiting: 'waits for you',
  success: 'done',
  error: 'failed',
  unknown: 'outcome unknown',
  stopped: 'not finished',
}

/** A call of a tool: one line, and behind it what went in and what came out. */
export const ToolCall = memo(({ call }: { readonly call: Call }): ReactNode => {
  const [open, setOpen] = useState(false)
  const { status, label, name, params, result, content, ms, log } = call
  const isEmpty =
    params === null || (typeof params === 'object' && Object.keys(params).length === 0)
  return (
    <div className={`call ${status}`} data-tool={name}>
      <button
        type="button"
        className="call-line"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className="dot" aria-hidden="true" />
        <span className="call-label">{label}</span>
        {label !== name && <code className="call-name">{name}</code>}
        <span className="call-gist">{gistOf(call)}</span>
        <span className="call-state">
          {ms === undefined || status !== 'success' ? STATES[status] : durationText(ms)}
          <span className="sr">{status === 'success' ? ', done' : ''}</span>
        </span>
        <Icon name="chevron" />
      </button>
      {log.length > 0 && status === 'running' && <p className="call-log">{log.at(-1)}</p>}
      {open && (
        <div className="call-body">
          {isEmpty ? (
            <p className="muted">No arguments.</p>
          ) : (
            <Raw title="Arguments" text={plain(params)} />
          )}
          {log.length > 0 && <Raw title="Progress" text={log.join('\n')} />}
          {result !== undefined && (
            <Raw title={status === 'success' ? 'Result' : 'Error'} text={result} />
          )}
          {content.map(
            (part, at) =>
              part.type === 'image' &&
              part.isUrl !== true && (
                <img
                  key={at}
                  className="picture"
                  src={`data:${part.mimeType};base64,${part.data}`}
                  alt={`From ${name}`}
                />
              ),
          )}
        </div>
      )}
    </div>
  )
})

/** The first arguments, for the line. */
function gistOf({ params }: Call): string {
  const line = requestLine(params)
  if (line !== undefined) return line
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return ''
  return Object.entries(params)
    .slice(0, 3)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .slice(0, 140)
}
