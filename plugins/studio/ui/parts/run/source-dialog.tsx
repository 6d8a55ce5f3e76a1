import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import type { Citation } from '@amodal/sdk/client'
import { excerptOf, readSource, type FoundSource } from '../../model/citation-source.ts'
import { addressOf } from '../../model/route.ts'
import type { Server } from '../../model/server.ts'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { useReport } from '../../views/use-report.ts'
import { Dialog } from '../dialog.tsx'
import { Icon } from '../icons.tsx'
import { Skeleton } from '../skeleton.tsx'

const text = RUN_STRINGS.source

export interface SourceDialogProps {
  readonly server: Server
  /** Of the run that wrote the version with this citation. */
  readonly session: string
  readonly citation: Citation
  readonly onClose: () => void
}

/** What a citation was taken from, with the quote marked, and a way to the entry in the trace. */
export function SourceDialog({ server, session, citation, onClose }: SourceDialogProps): ReactNode {
  const read = useCallback(() => readSource(server, session, citation), [server, session, citation])
  const { value, problem } = useReport(read)
  const { statement } = citation
  return (
    <Dialog className="outcome run-source" title={titleOf(citation)} onClose={onClose}>
      {statement !== undefined && (
        <p>
          <span className="muted">{text.statement}:</span> {statement}
        </p>
      )}
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!value && problem === undefined && <Skeleton rows={4} />}
      {value && <SourceText found={value} />}
      {value && (
        <footer>
          <a className="button" href={addressOf(value.route)}>
            <Icon name={value.route.view === 'session' ? 'sessions' : 'agent'} />
            {value.route.view === 'session' ? text.trace : text.document}
          </a>
        </footer>
      )}
    </Dialog>
  )
}

function titleOf({ source }: Citation): string {
  if (source.kind === 'document') return text.ofDocument(source.document)
  return source.tool === undefined ? text.ofTask : text.of(source.tool)
}

function SourceText({ found: { quoted, text: all } }: { readonly found: FoundSource }): ReactNode {
  const [isUncut, setUncut] = useState(false)
  const mark = useRef<HTMLElement>(null)
  useEffect(() => {
    mark.current?.scrollIntoView({ block: 'center' })
  }, [quoted, isUncut])
  if (!quoted)
    return (
      <>
        <p className="note warning">{all === undefined ? text.withheld : text.changed}</p>
        {all !== undefined && (
          <pre tabIndex={0} aria-label={text.title}>
            {all}
          </pre>
        )}
      </>
    )
  const excerpt = excerptOf(quoted)
  const { before, quote, after } = isUncut ? quoted : excerpt
  const isCut = excerpt.before !== quoted.before || excerpt.after !== quoted.after
  return (
    <>
      <pre tabIndex={0} aria-label={text.title}>
        {before}
        <mark ref={mark}>{quote}</mark>
        {after}
      </pre>
      {isCut && !isUncut && (
        <button type="button" className="link" onClick={() => setUncut(true)}>
          {text.showAll}
        </button>
      )}
    </>
  )
}
