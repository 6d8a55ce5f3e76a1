import type { PageProblem } from '@amodal/plugin-pages/tokens'
import type { ReactNode } from 'react'

/** What is wrong with a page, with the line of its file: in its newest edit, and as it runs. */
export function PageProblems({
  build,
  runtime,
}: {
  readonly build: readonly PageProblem[]
  readonly runtime: PageProblem | undefined
}): ReactNode {
  const problems = [...build, ...(runtime ? [runtime] : [])]
  if (problems.length === 0) return null
  return (
    <div className="page-problems" role="alert">
      {build.length > 0 && (
        <p>
          <b>The last edit of this page is broken.</b> What is below is from before it.
        </p>
      )}
      {problems.map((problem, at) => (
        <Problem key={at} problem={problem} />
      ))}
    </div>
  )
}

function Problem({ problem }: { readonly problem: PageProblem }): ReactNode {
  const { message, file, line, column, source, fix } = problem
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  return (
    <article className="page-problem">
      <p>{message}</p>
      {place !== '' && <code>{place}</code>}
      {source !== undefined && <pre>{sourceLine(source, line, column)}</pre>}
      {fix !== undefined && <p className="muted">{fix}</p>}
    </article>
  )
}

function sourceLine(source: string, line: number | undefined, column: number | undefined): string {
  const number = `${line ?? ''} | `
  const mark = column === undefined ? '' : `\n${' '.repeat(number.length + column - 1)}^`
  return `${number}${source}${mark}`
}
