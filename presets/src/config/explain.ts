import { CODES, explain, messageOf, never, type BundleIssue, type Failure, type PluginError } from '@amodal/sdk'
import type { FolderError } from './start.ts'

/** What went wrong at the start, where, and what to do: for a person at a terminal. */
export function explainStart(error: FolderError): string {
  switch (error.kind) {
    case 'plan': return explain(error)
    case 'plugin': return told(atFault(error.error), [`  where: the plugin ${error.error.plugin}, in its ${error.error.phase}`])
    case 'config': case 'agent': return told(error.failure, (error.failure.issues ?? []).map(issueLine))
    default: return never(error)
  }
}

const told = ({ code, message }: Failure, lines: readonly string[]): string => [`${code}: ${message}`, ...lines, `What to do: ${CODES[code]}.`].join('\n')

/** The words of whoever failed, where they are known; a stack trace is for the log. */
const atFault = (error: PluginError): Failure => ({ code: error.code, message: error.cause === undefined ? error.message : messageOf(error.cause) })

function issueLine({ severity, code, message, file, line, fix }: BundleIssue): string {
  const where = [file, line].filter((part) => part !== undefined).join(':')
  return `  ${[severity === 'warning' ? 'warning' : code, where, message].filter((part) => part !== '').join('  ')}${fix === undefined ? '' : ` — ${fix}`}`
}
