import { lazy, Suspense, useCallback, useEffect, useState, type ReactNode } from 'react'
import type { Admin } from '../model/admin.ts'
import { problemOf } from '../model/server.ts'
import { useReport } from '../views/use-report.ts'
import { STRINGS } from '../strings.ts'

const CodeEditor = lazy(() => import('./code-editor.tsx'))

export interface FileTextProps {
  readonly admin: Admin
  readonly path: string
  /** Changes whenever files have changed. */
  readonly news: unknown
  readonly onBack: () => void
}

/** One file of the agent: read, or edited and saved where the agent still loads with it. */
export function FileText({ admin, path, news, onBack }: FileTextProps): ReactNode {
  const read = useCallback(() => admin.file(path), [admin, path])
  const { value: file, problem, refresh } = useReport(read)
  const [draft, setDraft] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  useEffect(() => refresh(), [news])
  const { files: text } = STRINGS
  const save = async (): Promise<void> => {
    if (draft === undefined || !file) return
    setSaving(true)
    try {
      await admin.save(path, draft, file.hash)
      setFailure(undefined)
      setDraft(undefined)
      refresh()
    } catch (cause) {
      setFailure(problemOf(cause))
    }
    setSaving(false)
  }
  const cancel = (): void => {
    setDraft(undefined)
    setFailure(undefined)
  }
  return (
    <section className="file-text" aria-labelledby="file-title">
      <header>
        <button type="button" autoFocus onClick={onBack}>
          {text.back}
        </button>
        <h3 id="file-title">
          <code>{path}</code>
        </h3>
        {draft === undefined ? (
          <button type="button" disabled={!file} onClick={() => setDraft(file?.content)}>
            {text.edit}
          </button>
        ) : (
          <>
            <button type="button" onClick={cancel}>
              {text.cancel}
            </button>
            <button
              type="button"
              className="primary"
              disabled={isSaving || draft === file?.content}
              onClick={() => void save()}
            >
              {text.save}
            </button>
          </>
        )}
      </header>
      {(problem ?? failure) !== undefined && (
        <p className="note error" role="alert">
          {problem ?? failure}
        </p>
      )}
      {draft !== undefined && file && (
        <Suspense>
          <CodeEditor
            {...{ path }}
            text={draft}
            label={`${text.textOf} ${path}`}
            problem={placeIn(path, failure)}
            onChange={setDraft}
            onSave={() => void save()}
          />
        </Suspense>
      )}
      {draft === undefined && file && problem === undefined && (
        <pre tabIndex={0} aria-label={`${text.textOf} ${path}`}>
          {file.content}
        </pre>
      )}
    </section>
  )
}

/** The line of this file that an error names. */
function placeIn(
  path: string,
  failure: string | undefined,
): { readonly line: number; readonly message: string } | undefined {
  const at = failure?.indexOf(`${path}:`) ?? -1
  if (failure === undefined || at === -1) return undefined
  const line = /^\d+/.exec(failure.slice(at + path.length + 1))?.[0]
  return line === undefined ? undefined : { line: Number(line), message: failure }
}
