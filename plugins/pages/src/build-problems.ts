import type { Message } from 'esbuild'
import type { PageProblem } from './protocol.ts'

/** Files of `pages/` in the names that esbuild gives to files of a plugin. */
export const NAMESPACE = 'page-file'

/** What esbuild throws where something of the source is wrong. */
export const isEsbuildFailure = (
  cause: unknown,
): cause is Error & { readonly errors: readonly Message[] } =>
  cause instanceof Error && 'errors' in cause && Array.isArray(cause.errors)

/** Messages of esbuild with the place in the agent's file. */
export const problemsOf = (messages: readonly Message[]): readonly PageProblem[] =>
  messages.map(({ text, location }) => ({
    message: text,
    ...(location && {
      file: location.file.replace(`${NAMESPACE}:`, ''),
      line: location.line,
      column: location.column + 1,
      source: location.lineText,
    }),
  }))
