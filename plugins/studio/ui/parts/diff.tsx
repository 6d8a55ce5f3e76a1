import type { ReactNode } from 'react'
import type { Hunk } from '../model/admin.ts'
import '../styles/diff.css'

interface Line {
  readonly kind: 'added' | 'removed' | 'same' | 'note'
  readonly before?: number
  readonly after?: number
  readonly text: string
}

/** Lines that are added and removed, between those around them. */
export function Diff({
  hunks,
  path,
}: {
  readonly hunks: readonly Hunk[]
  readonly path: string
}): ReactNode {
  if (hunks.length === 0) return <p className="muted hint">The file is empty.</p>
  return (
    <div className="scroll diff" tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
      <table>
        <thead className="sr">
          <tr>
            <th scope="col">Old line</th>
            <th scope="col">New line</th>
            <th scope="col">Text</th>
          </tr>
        </thead>
        {hunks.map((hunk) => (
          <tbody key={`${hunk.old_start} ${hunk.new_start}`}>
            {linesOf(hunk).map(({ kind, before, after, text }, at) => (
              <tr key={at} className={kind}>
                <td className="number">{before}</td>
                <td className="number">{after}</td>
                <td className="text">
                  <span className="sign">{SIGNS[kind]}</span>
                  {text}
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

const SIGNS = { added: '+', removed: '-', same: ' ', note: ' ' } as const

function linesOf({ old_start: oldStart, new_start: newStart, lines }: Hunk): readonly Line[] {
  let before = oldStart
  let after = newStart
  return lines.map((line): Line => {
    const text = line.slice(1)
    switch (line[0]) {
      case '+':
        return { kind: 'added', after: after++, text }
      case '-':
        return { kind: 'removed', before: before++, text }
      case '\\':
        return { kind: 'note', text: text.trim() }
      default:
        return { kind: 'same', before: before++, after: after++, text }
    }
  })
}

/** How many lines are added and removed. */
export function countsOf(hunks: readonly Hunk[]): { readonly more: number; readonly less: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  return {
    more: lines.filter((line) => line.startsWith('+')).length,
    less: lines.filter((line) => line.startsWith('-')).length,
  }
}
