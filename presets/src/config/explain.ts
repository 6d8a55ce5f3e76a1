import { CODES, explain, never } from '@amodal/kernel'
import type { FolderError } from './start.ts'

/** What went wrong at the start, where, and what to do: for a person at a terminal. */
export function explainStart(error: FolderError): string {
  switch (error.kind) {
    case 'plan': case 'plugin':
      return explain(error)
    case 'config': case 'agent': {
      const { failure } = error
      const issues = error.kind === 'agent' ? error.failure.issues ?? [] : []
      const lines = issues.map((issue) => `  ${issue.severity} ${[issue.file, issue.line].filter((part) => part !== undefined).join(':')}  ${issue.code}: ${issue.message}${issue.fix === undefined ? '' : ` — ${issue.fix}`}`)
      return [`${failure.code}: ${failure.message}`, ...lines, `What to do: ${CODES[failure.code]}.`].join('\n')
    }
    default:
      return never(error)
  }
}
